import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface SocketServer {
  readonly url: string;
  /** Connections ever made. */
  readonly connections: number;
  /** Bytes the sockets took. */
  readonly sentBytes: number;
  /** Resolves when the first request is there. */
  readonly asked: Promise<void>;
  /** Resolves when the last connection has ended. */
  ended(): Promise<void>;
}

/** A server that writes what it likes, HTTP or not, once a request has come. */
export async function socketServer(answer: (send: Send, socket: Socket) => unknown): Promise<SocketServer> {
  const sockets = new Set<Socket>();
  let ask = () => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const told = { connections: 0, sentBytes: 0 };
  const server = createServer((socket) => {
    told.connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    const send: Send = (text) =>
      new Promise((resolve) => {
        if (socket.destroyed) return resolve(false);
        const bytes = Buffer.from(text as string);
        socket.write(bytes, (error) => {
          if (!error) told.sentBytes += bytes.length;
          resolve(!error && !socket.destroyed);
        });
      });
    socket.on('data', (chunk) => {
      if (!chunk.includes('\r\n\r\n')) return;
      ask();
      void answer(send, socket);
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
      return told.connections;
    },
    get sentBytes() {
      return told.sentBytes;
    },
    asked,
    ended: async () => {
      while (sockets.size > 0) {
        const [socket] = sockets;
        await new Promise((resolve) => socket?.once('close', resolve));
      }
    },
  };
}

/** Writes; false once the connection is gone. */
export type Send = (text: string | Uint8Array) => Promise<boolean>;
