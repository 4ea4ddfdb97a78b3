import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface SocketServer {
  readonly url: string;
  /** The number of connections that were opened. */
  readonly connections: number;
  /** The number of bytes that were written to the sockets. */
  readonly sentBytes: number;
  /** Resolves when the first request has arrived. */
  readonly requested: Promise<void>;
  /** Resolves when all connections that a request came over have ended: after an aborted one, undici opens another. */
  ended(): Promise<void>;
}

/** A server that writes arbitrary bytes when a request has arrived. */
export async function socketServer(respond: (send: Send, socket: Socket) => unknown): Promise<SocketServer> {
  const sockets = new Set<Socket>();
  const requesting = new Set<Socket>();
  let markRequested = () => {};
  const requested = new Promise<void>((resolve) => {
    markRequested = resolve;
  });
  const counts = { connections: 0, sentBytes: 0 };
  const server = createServer((socket) => {
    counts.connections += 1;
    sockets.add(socket);
    socket
      .on('error', () => {})
      .on('close', () => {
        sockets.delete(socket);
        requesting.delete(socket);
      });
    const send: Send = (text) =>
      new Promise((resolve) => {
        if (socket.destroyed) return resolve(false);
        const bytes = Buffer.from(text as string);
        socket.write(bytes, (error) => {
          if (!error) counts.sentBytes += bytes.length;
          resolve(!error && !socket.destroyed);
        });
      });
    socket.on('data', (chunk) => {
      if (!chunk.includes('\r\n\r\n')) return;
      requesting.add(socket);
      markRequested();
      void respond(send, socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get connections() {
      return counts.connections;
    },
    get sentBytes() {
      return counts.sentBytes;
    },
    requested,
    ended: async () => {
      while (requesting.size > 0) {
        const [socket] = requesting;
        await new Promise((resolve) => socket?.once('close', resolve));
      }
    },
  };
}

/** Writes to the connection; resolves to false if it is closed. */
export type Send = (text: string | Uint8Array) => Promise<boolean>;
