import { Readable } from 'node:stream';
import { ConnectionError, type Fetch, HubError } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { settledNow } from '../support.js';
import { clientOf, failingAgent, failure } from './support.js';

const BROKEN = new TypeError("Cannot read properties of undefined (reading 'x')");

const closedAgent = () => {
  const agent = new Agent();
  void agent.destroy();
  return agent;
};

/** Failures that neither the hub nor the network caused, each with its own message. */
const LOCAL: ReadonlyArray<[what: string, options: () => Parameters<typeof clientOf>[1], message: string]> = [
  ['a fetch with a bug', () => ({ fetch: () => Promise.reject(BROKEN) }), BROKEN.message],
  [
    'a fetch that throws',
    () => ({
      fetch: () => {
        throw BROKEN;
      },
    }),
    BROKEN.message,
  ],
  [
    'a fetch that returns nothing',
    () => ({ fetch: (() => {}) as unknown as Fetch }),
    'did not resolve to a Response',
  ],
  [
    'a fetch that got a wrong argument',
    () => ({
      fetch: () => {
        const cause = Object.assign(new Error('invalid onRequestStart method'), {
          code: 'UND_ERR_INVALID_ARG',
        });
        throw new TypeError('fetch failed', { cause });
      },
    }),
    'invalid onRequestStart method',
  ],
  [
    'a dispatcher that the application has closed',
    () => ({ dispatcher: closedAgent() }),
    'The client is destroyed',
  ],
  ['a dispatcher with a bug', () => ({ dispatcher: failingAgent(BROKEN) }), BROKEN.message],
  [
    'a dispatcher that throws',
    () => ({
      dispatcher: {
        dispatch() {
          throw BROKEN;
        },
      },
    }),
    BROKEN.message,
  ],
];

describe.each(LOCAL)('%s', (_what, options, message) => {
  const start = () => {
    const clock = new ManualClock();
    return clientOf('https://hub.example', { clock, ...options(), retry: { attempts: 4 } });
  };

  it('rejects every call at once, and is not retried', async () => {
    const { hub, clock } = start();
    let requests = 0;
    hub.on('request', () => {
      requests += 1;
    });
    const calls = [
      () => hub.merchant.get(),
      () => hub.auth.getToken(),
      () => hub.events.poll(),
      () => hub.orders.confirm('an-order'),
    ];
    for (const call of calls) {
      const error = await failure(call(), ConnectionError);
      expect(error.message).toContain(message);
      expect(error.retryable).toBe(false);
    }
    expect([requests, clock.monotonic(), clock.sleepers]).toEqual([4, 0, 0]);
  });

  it('rejects start() of the poller', async () => {
    const { hub, clock } = start();
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    const outcome = await settledNow(clock, poller.start());
    expect(outcome).toMatchObject({ error: { message: expect.stringContaining(message) } });
    expect(poller.health().status).toBe('idle');
  });
});

it('a fetch with streams of Node.js, as node-fetch has, or without any body works', async () => {
  const mock = createMockHub();
  const { event } = mock.createOrder();
  const fetch = async (...given: Parameters<Fetch>) => {
    const { status, headers, body } = await mock.fetch(...given);
    if (status === 202) return { status };
    return { status, headers, body: body && Readable.fromWeb(body as never) };
  };
  const { hub } = clientOf(mock.baseUrl, { fetch: fetch as unknown as Fetch });
  const { events } = await hub.events.poll();
  expect(events.map(({ eventId }) => eventId)).toEqual([event.eventId]);
  expect(await hub.events.acknowledge(events)).toEqual({ acknowledged: [event.eventId], rejected: [] });
});

it('a stub whose responses have no body is an error where something is read', async () => {
  const mock = createMockHub();
  let status = 200;
  const fetch = async (...given: Parameters<Fetch>) =>
    given[0].endsWith('/token') ? mock.fetch(...given) : { status, json: async () => [] };
  const { hub } = clientOf(mock.baseUrl, { fetch: fetch as unknown as Fetch });
  const message = 'has no body; return new Response(';
  await expect(hub.events.poll()).rejects.toThrow(message);
  await expect(hub.merchant.get()).rejects.toThrow(message);
  expect(await hub.orders.confirm('an-order')).toEqual({ alreadyThere: false });
  status = 204;
  expect(await hub.events.poll()).toEqual({ events: [], issues: [] });
});

/** A client of a mock hub whose fetch can be broken. */
function startBreakable() {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const link = { isBroken: false };
  const { hub } = clientOf(mock.baseUrl, {
    clock,
    fetch: async (url, init) => {
      if (link.isBroken) throw BROKEN;
      return mock.fetch(url, init);
    },
  });
  return { clock, mock, hub, link };
}

it('an old menu is not returned after a failure that neither the hub nor the network caused', async () => {
  const { mock, hub, link } = startBreakable();
  await hub.merchant.get();
  link.isBroken = true;
  expect((await failure(hub.merchant.get({ fresh: true }), HubError)).message).toContain(BROKEN.message);
  link.isBroken = false;
  mock.faults.next('merchant', 500);
  expect((await hub.merchant.get({ fresh: true })).stale).toBe('error');
});

it('a poller that has started keeps polling while fetch is broken', async () => {
  const { clock, mock, hub, link } = startBreakable();
  const handled: string[] = [];
  const errors: string[] = [];
  const poller = hub.poller();
  poller.on('CREATED', ({ orderId }) => void handled.push(orderId));
  poller.on('error', ({ message }) => errors.push(message));
  await poller.start();
  link.isBroken = true;
  await clock.advance('31s');
  expect(errors).toEqual([`polling: ${BROKEN.message}`]);
  link.isBroken = false;
  const { orderId } = mock.createOrder();
  await clock.advance('2m');
  expect(handled).toEqual([orderId]);
  await poller.stop();
});
