import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';

export const TOKEN = 'tok-0123456789-abcdefgh';

type Respond = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

const json = (outgoing: ServerResponse, body: unknown) => {
  outgoing.writeHead(200, { 'content-type': 'application/json' });
  outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
};

/** Serves a hub with the given responses; by default a token, no events, and 404 for the rest. */
export async function hostileHub(responses: Readonly<Record<string, Respond>>): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    const { url = '' } = incoming;
    const [, respond] = Object.entries(responses).find(([part]) => url.includes(part)) ?? [];
    if (respond) return respond(incoming, outgoing);
    if (url.includes('/oauth/token')) return json(outgoing, { access_token: TOKEN, expires_in: 3600 });
    if (url.includes(':polling')) return json(outgoing, []);
    outgoing.writeHead(404).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv('HUB_BASE_URL', url);
  vi.stubEnv('HUB_CLIENT_ID', '1001');
  vi.stubEnv('HUB_CLIENT_SECRET', 'the-client-secret-of-1001');
  vi.stubEnv('HUB_API_KEY', 'the-api-key-of-1001');
  return url;
}

/** A 200 response with this body. */
export const responding = (body: unknown): Respond => {
  return (_, outgoing) => json(outgoing, body);
};
