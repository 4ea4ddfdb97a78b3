import type { Clock } from 'opendelivery-client';
import type { MockHub } from 'opendelivery-client/testing';
import { importPeer, importTesting } from '../packages.js';
import type { Turns } from './main.js';

/** Moves by more than a window of the limits at each request. */
class SteppingClock implements Clock {
  #ms = 0;
  now = () => 1_767_614_400_000 + this.#ms;
  monotonic = () => this.#ms;
  sleep = () => new Promise<void>(() => {});
  step(): void {
    this.#ms += 31_000;
  }
}

const REQUESTS = 50;
const POLL = '/opendelivery/v1/events:polling';
const ACKNOWLEDGE = '/opendelivery/v1/events/acknowledgment';

interface Msw {
  readonly http: { get(url: string, respond: () => Response): never };
  readonly HttpResponse: { json(body: unknown): Response };
}
interface MswNode {
  setupServer(...handlers: never[]): { listen(): void };
}

async function mswOf(handlers: (msw: Msw) => readonly never[]): Promise<void> {
  const msw = (await importPeer('msw')) as Msw;
  const { setupServer } = (await importPeer('msw/node')) as MswNode;
  setupServer(...handlers(msw)).listen();
}

async function accessToken(mock: MockHub): Promise<string> {
  const { clientId, clientSecret } = mock.credentials;
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  const response = await mock.fetch(`${mock.baseUrl}/opendelivery/oauth/token`, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Polls with one event through MSW, answered by the mock hub. */
export async function mockHub(): Promise<Turns> {
  const { createMockHub } = await importTesting();
  const clock = new SteppingClock();
  const mock = createMockHub({ clock });
  mock.emit('PREPARING');
  await mswOf(() => mock.handlers as readonly never[]);
  const authorization = `Bearer ${await accessToken(mock)}`;
  return requests(`${mock.baseUrl}${POLL}`, authorization, () => clock.step());
}

/** The same polls, answered by a handler that always responds with the same event, as tests without the mock hub have it. */
export async function stub(): Promise<Turns> {
  const url = `https://hub.example${POLL.replace(':', '\\:')}`;
  const { createMockHub } = await importTesting();
  const events = [createMockHub().emit('PREPARING')];
  await mswOf(({ http, HttpResponse }) => [http.get(url, () => HttpResponse.json(events))]);
  return requests(`https://hub.example${POLL}`, `Bearer ${'x'.repeat(40)}`, () => {});
}

function requests(url: string, authorization: string, before: () => void): Turns {
  return {
    async run() {
      for (let each = 0; each < REQUESTS; each += 1) {
        before();
        const response = await fetch(url, { headers: { authorization } });
        const events: unknown = await response.json();
        if (!Array.isArray(events) || events.length !== 1) throw new Error(JSON.stringify(events));
      }
    },
  };
}

/** An acknowledgment of the same 100 events again and again, after `emitted` others. */
export async function acknowledgments({ emitted }: { readonly emitted: number }): Promise<Turns> {
  const { createMockHub } = await importTesting();
  const clock = new SteppingClock();
  const mock = createMockHub({ clock });
  const events = Array.from({ length: emitted }, () => mock.emit('PREPARING')).slice(-100);
  const headers = {
    authorization: `Bearer ${await accessToken(mock)}`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify(
    events.map(({ eventId, orderId, eventType }) => ({ id: eventId, orderId, eventType })),
  );
  return {
    async run() {
      for (let each = 0; each < 5; each += 1) {
        clock.step();
        const { status } = await mock.fetch(`${mock.baseUrl}${ACKNOWLEDGE}`, {
          method: 'POST',
          headers,
          body,
        });
        if (status !== 202) throw new Error(`the mock hub responded with ${status}`);
      }
    },
  };
}

export const IN_A_TURN = { requests: REQUESTS, acknowledgments: 5 };
