import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock, HubClient } from 'opendelivery-client';
import { onTestFinished } from 'vitest';
import { sleepBy } from '../../src/time/clock.js';

/** A clock that the test moves; a timer of it costs nothing that is counted. */
export class CountedClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ readonly dueAt: number; readonly onDue: () => void }>();

  now = () => 1_800_000_000_000 + this.#now;
  monotonic = () => this.#now;

  timer = (ms: number, onDue: () => void) => {
    const timer = { dueAt: this.#now + ms, onDue };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  };

  sleep = (ms: number, signal?: AbortSignal) => sleepBy(this.timer, ms, signal);

  advance(ms: number): void {
    this.#now += ms;
    for (const timer of [...this.#timers].filter(({ dueAt }) => dueAt <= this.#now)) {
      if (this.#timers.delete(timer)) timer.onDue();
    }
  }
}

type Requested = 'token' | 'polling' | 'acknowledgment';

/**
 * A hub over HTTP that returns `polls` one after another, then nothing.
 *
 * @param onRequest - is called when a request has arrived, before its response.
 */
export async function serveHub(polls: unknown[][], onRequest: (requested: Requested) => void = () => {}) {
  const confirmed: string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      if (path.endsWith('/oauth/token')) {
        onRequest('token');
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ access_token: 'a-token', token_type: 'bearer', expires_in: 604_800 }));
      } else if (path.includes('acknowledgment')) {
        for (const { id } of JSON.parse(Buffer.concat(chunks).toString()) as { id: string }[])
          confirmed.push(id);
        onRequest('acknowledgment');
        response.writeHead(202).end();
      } else {
        onRequest('polling');
        const events = polls.shift() ?? [];
        if (events.length === 0) response.writeHead(204).end();
        else response.setHeader('content-type', 'application/json').end(JSON.stringify(events));
      }
    });
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}`, confirmed };
}

/** A client of such a hub, on a clock of its own. */
export function clientOf(Client: typeof HubClient, baseUrl: string) {
  const clock = new CountedClock();
  const hub = new Client({
    baseUrl,
    clientId: 'counted',
    clientSecret: 'a-secret-of-the-test',
    clock,
    logger: false,
  });
  onTestFinished(async () => void (await hub.close()));
  return { clock, hub };
}

export const eventsOf = (count: number, run = 'e') =>
  Array.from({ length: count }, (_, index) => ({
    eventId: `${run}-${index}`,
    orderId: `order-${run}-${index}`,
    eventType: 'CREATED',
    createdAt: '2026-11-22T12:00:00Z',
    orderURL: 'https://hub.example/orders/1',
    sourceAppId: 'app',
  }));
