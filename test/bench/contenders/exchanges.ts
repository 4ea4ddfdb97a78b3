import type { Agent as UndiciAgent } from 'undici';
import { importPeer } from '../packages.js';

export interface HubEvent {
  readonly eventId: string;
  readonly eventType: string;
  readonly orderId: string;
}

/** One store's requests to the hub, as an application without our client sends them. */
export interface Exchange {
  poll(): Promise<HubEvent[]>;
  acknowledge(events: readonly HubEvent[]): Promise<void>;
}

/** An application sends such a token with every request; its renewal is left out. */
const HEADERS = { accept: 'application/json', authorization: `Bearer ${'eyJhbGciOiJSUzI1NiI'.repeat(32)}` };
const JSON_HEADERS = { ...HEADERS, 'content-type': 'application/json' };

const POLL = '/opendelivery/v1/events:polling';
const ACKNOWLEDGE = '/opendelivery/v1/events/acknowledgment';

const bodyOf = (events: readonly HubEvent[]) =>
  events.map(({ eventId, eventType, orderId }) => ({ id: eventId, eventType, orderId }));

function expectStatus(actual: number, ...expected: number[]): void {
  if (!expected.includes(actual)) throw new Error(`the hub of the bench responded with ${actual}`);
}

/** The floor: undici's `Agent.request` over one Agent of 64 connections. `hub` is its address with label and number of events. */
export async function rawUndici(hub: string): Promise<Exchange> {
  const { Agent } = (await importPeer('undici')) as { Agent: typeof UndiciAgent };
  const agent = new Agent({ connections: 64, pipelining: 1, keepAliveTimeout: 55_000 });
  const { origin, pathname } = new URL(hub);
  return {
    async poll() {
      const { statusCode, body } = await agent.request({
        origin,
        path: pathname + POLL,
        method: 'GET',
        headers: HEADERS,
      });
      expectStatus(statusCode, 200, 204);
      const text = await body.text();
      return text === '' ? [] : (JSON.parse(text) as HubEvent[]);
    },
    async acknowledge(events) {
      const { statusCode, body } = await agent.request({
        origin,
        path: pathname + ACKNOWLEDGE,
        method: 'POST',
        headers: JSON_HEADERS,
        body: JSON.stringify(bodyOf(events)),
      });
      expectStatus(statusCode, 202);
      await body.dump();
    },
  };
}

/** Node's own fetch. */
export async function nodeFetch(
  hub: string,
  headers: Readonly<Record<string, string>> = HEADERS,
): Promise<Exchange> {
  return {
    async poll() {
      const response = await fetch(hub + POLL, { headers });
      expectStatus(response.status, 200, 204);
      return response.status === 204 ? [] : ((await response.json()) as HubEvent[]);
    },
    async acknowledge(events) {
      const response = await fetch(hub + ACKNOWLEDGE, {
        method: 'POST',
        headers: JSON_HEADERS,
        body: JSON.stringify(bodyOf(events)),
      });
      expectStatus(response.status, 202);
      await response.text();
    },
  };
}

/** As at two polls a minute: fetch keeps a connection for four seconds, so each poll opens a new one. */
export const reconnectingFetch = (hub: string) => nodeFetch(hub, { ...HEADERS, connection: 'close' });

interface Axios {
  get(url: string, options: object): Promise<{ status: number; data: unknown }>;
  post(url: string, body: unknown, options: object): Promise<{ status: number }>;
}

export async function axios(hub: string): Promise<Exchange> {
  const { default: client } = (await importPeer('axios')) as { default: Axios };
  return {
    async poll() {
      const { status, data } = await client.get(hub + POLL, { headers: HEADERS });
      return status === 204 ? [] : (data as HubEvent[]);
    },
    async acknowledge(events) {
      const { status } = await client.post(hub + ACKNOWLEDGE, bodyOf(events), { headers: HEADERS });
      expectStatus(status, 202);
    },
  };
}

interface Got {
  (url: string, options: object): Promise<{ statusCode: number; body: string }>;
  post(url: string, options: object): Promise<{ statusCode: number }>;
}

export async function got(hub: string): Promise<Exchange> {
  const { default: client } = (await importPeer('got')) as { default: Got };
  return {
    async poll() {
      const { statusCode, body } = await client(hub + POLL, { headers: HEADERS });
      return statusCode === 204 ? [] : (JSON.parse(body) as HubEvent[]);
    },
    async acknowledge(events) {
      const { statusCode } = await client.post(hub + ACKNOWLEDGE, { headers: HEADERS, json: bodyOf(events) });
      expectStatus(statusCode, 202);
    },
  };
}

export const EXCHANGES = { rawUndici, nodeFetch, reconnectingFetch, axios, got };
