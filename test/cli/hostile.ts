import type { IncomingMessage, ServerResponse } from 'node:http';
import { served } from '../temporary.js';
import { inEnvironment } from './support.js';

export const TOKEN = 'tok-0123456789-abcdefgh';

type Respond = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

const json = (outgoing: ServerResponse, body: unknown) => {
  outgoing.writeHead(200, { 'content-type': 'application/json' });
  outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
};

/** Serves a hub with the given responses; by default a token, no events, and 404 for the rest. */
export async function hostileHub(responses: Readonly<Record<string, Respond>>): Promise<string> {
  const url = await served((incoming, outgoing) => {
    incoming.resume();
    const { url: path = '' } = incoming;
    const [, respond] = Object.entries(responses).find(([part]) => path.includes(part)) ?? [];
    if (respond) return respond(incoming, outgoing);
    if (path.includes('/oauth/token')) return json(outgoing, { access_token: TOKEN, expires_in: 3600 });
    if (path.includes(':polling')) return json(outgoing, []);
    outgoing.writeHead(404).end();
  });
  inEnvironment(url, {
    clientId: '1001',
    clientSecret: 'the-client-secret-of-1001',
    apiKey: 'the-api-key-of-1001',
  });
  return url;
}

/** A response that does not end before somebody has read 300 MiB of it, and how much was written. */
export function endless() {
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  let written = 0;
  const respond: Respond = (_, outgoing) => {
    const write = () => {
      while (written < 300 * chunk.length && !outgoing.destroyed) {
        written += chunk.length;
        if (!outgoing.write(chunk)) return void outgoing.once('drain', write);
      }
      outgoing.end();
    };
    write();
  };
  return { respond, written: () => written };
}

/** A 200 response with this body. */
export const responding = (body: unknown): Respond => {
  return (_, outgoing) => json(outgoing, body);
};
