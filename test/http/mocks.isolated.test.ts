import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { ConnectionError } from 'opendelivery-client';
import { createMockHub, type Json, ManualClock } from 'opendelivery-client/testing';
import {
  type Dispatcher,
  getGlobalDispatcher,
  MockAgent,
  setGlobalDispatcher,
  fetch as undiciFetch,
} from 'undici';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { during } from '../support.js';
import { clientOf, failure, merchantDocument, rawServer, sends } from './support.js';

const HUB = 'https://hub.example';
const MERCHANT_PATH = '/opendelivery/v1/merchant';
const nodeFetch = globalThis.fetch;
const document = await merchantDocument();

const menuResponse = (more: Json = {}) => Response.json({ ...document, ...more });

/** A client that makes four attempts after a network failure. */
const patientClient = (options: Parameters<typeof clientOf>[1] = {}) =>
  clientOf(HUB, { ...options, retry: { attempts: 4 } });

/** The message of a call that fails at its first attempt, before any time has passed. */
async function failsAtOnce({ hub, clock }: ReturnType<typeof clientOf>): Promise<string> {
  let attempts = 0;
  hub.on('request', () => {
    attempts += 1;
  });
  const { message, retryable } = await failure(hub.merchant.get(), ConnectionError);
  expect([attempts, clock.monotonic(), retryable]).toEqual([1, 0, false]);
  return message;
}

/** Whether a client with no option set sends by a fetch: every fetch sends this header. */
async function isSentByFetch(): Promise<boolean> {
  const seen = await rawServer(sends(200, JSON.stringify(document)));
  await clientOf(seen.url).hub.merchant.get();
  return seen.requests[0]?.headers['sec-fetch-mode'] !== undefined;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('MSW catches the SDK with no option set', () => {
  const mock = createMockHub();
  const server = setupServer(...mock.handlers);

  beforeEach(() => server.listen({ onUnhandledRequest: 'error' }));
  afterEach(() => {
    server.resetHandlers(...mock.handlers);
    server.close();
  });

  it("with the mock hub's handlers", async () => {
    const { hub } = clientOf(HUB);
    const { orderId } = mock.createOrder();
    const { events } = await hub.events.poll();
    expect(events.map((event) => event.orderId)).toEqual([orderId]);
    expect((await hub.orders.get(orderId)).order.id).toBe(orderId);
    expect(await hub.events.acknowledge(events)).toMatchObject({ rejected: [] });
    expect((await hub.merchant.get()).merchant.id).toBe(document.id);
    expect(mock.violations()).toEqual([]);
  });

  it('in virtual time that client and mock share', async () => {
    const clock = new ManualClock();
    const timed = createMockHub({ clock });
    server.resetHandlers(...timed.handlers);
    const { hub } = clientOf(HUB, { clock });
    await hub.merchant.get();
    await clock.advance('10m');
    await hub.merchant.get();
    expect(timed.requests.map(({ monotonicAt }) => monotonicAt)).toEqual([0, 600_000]);
  });

  it('and reports at once, with the message of MSW, that no handler matches', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => printed.mockRestore());
    // Without arguments, resetHandlers would restore the initial handlers.
    server.resetHandlers(http.get('https://other.example/', () => new HttpResponse()));
    expect(await failsAtOnce(patientClient())).toMatch(
      /onUnhandledRequest.*\[MSW\]|\[MSW\].*onUnhandledRequest/s,
    );
  });

  it('and HttpResponse.error() is retried like a network failure', async () => {
    let requests = 0;
    server.use(
      http.get(HUB + MERCHANT_PATH, () => {
        requests += 1;
        return requests < 4 ? HttpResponse.error() : HttpResponse.json(document);
      }),
    );
    const { hub, clock } = patientClient();
    expect((await during(clock, '5m', hub.merchant.get())).merchant.id).toBe(document.id);
    expect(requests).toBe(4);
  });

  it('and a test can override one endpoint of an existing client', async () => {
    const { hub } = clientOf(HUB);
    expect((await hub.merchant.get()).merchant.status).toBe('AVAILABLE');
    server.use(
      http.get(HUB + MERCHANT_PATH, () =>
        HttpResponse.json({ ...document, lastUpdate: '2099-01-01T00:00:00Z', status: 'UNAVAILABLE' }),
      ),
    );
    expect((await hub.merchant.get({ fresh: true })).merchant.status).toBe('UNAVAILABLE');
  });

  it('and no longer after the server is closed', async () => {
    server.close();
    expect(await isSentByFetch()).toBe(false);
  });
});

describe('a stubbed global fetch catches the SDK', () => {
  it('also if it is installed after the client was created', async () => {
    const { hub } = clientOf(HUB);
    const stub = vi.fn(async (_url: unknown, _init?: RequestInit) => menuResponse());
    vi.stubGlobal('fetch', stub);
    expect((await hub.merchant.get()).merchant.id).toBe(document.id);
    expect(stub).toHaveBeenCalledTimes(1);
    const [url, init] = stub.mock.calls[0] ?? [];
    expect(String(url)).toBe(HUB + MERCHANT_PATH);
    expect(init).toMatchObject({ method: 'GET', redirect: 'manual', cache: 'no-store' });
    expect(new Headers(init?.headers).get('x-api-key')).toBe('mock-api-key');
  });

  it.each([
    ['a plain Error', new Error('no fixture for this call')],
    ['a TypeError without a cause', new TypeError('no fixture for this call')],
    ['a string', 'no fixture for this call'],
  ])('and %s that it throws reaches the caller at once, during one call', async (_what, thrown) => {
    const stub = vi.fn(async () => {
      throw thrown;
    });
    vi.stubGlobal('fetch', stub);
    expect(await failsAtOnce(patientClient())).toContain('no fixture for this call');
    expect(stub).toHaveBeenCalledTimes(1);
  });

  it('and a TypeError with a network cause is retried', async () => {
    const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    const stub = vi
      .fn(async () => menuResponse())
      .mockRejectedValueOnce(new TypeError('fetch failed', { cause }));
    vi.stubGlobal('fetch', stub);
    const { hub, clock } = patientClient();
    expect((await during(clock, '1m', hub.merchant.get())).merchant.id).toBe(document.id);
    expect(stub).toHaveBeenCalledTimes(2);
  });

  it('and gets the dispatcher option in its init', async () => {
    const stub = vi.fn(async (_url: unknown, _init?: RequestInit) => menuResponse());
    vi.stubGlobal('fetch', stub);
    const dispatcher = new MockAgent();
    await clientOf(HUB, { dispatcher }).hub.merchant.get();
    expect(Reflect.get(stub.mock.calls[0]?.[1] ?? {}, 'dispatcher')).toBe(dispatcher);
  });
});

describe('an undici MockAgent catches the SDK', () => {
  const agentWith = (intercepted: boolean) => {
    const agent = new MockAgent();
    agent.disableNetConnect();
    const pool = agent.get(HUB);
    if (intercepted) pool.intercept({ path: MERCHANT_PATH }).reply(200, document);
    return agent;
  };
  const useGlobally = (dispatcher: Dispatcher) => {
    const before = getGlobalDispatcher();
    setGlobalDispatcher(dispatcher);
    onTestFinished(() => setGlobalDispatcher(before));
  };

  it('as the global dispatcher, set after the client was created', async () => {
    const { hub } = clientOf(HUB);
    const agent = agentWith(true);
    useGlobally(agent);
    expect((await hub.merchant.get()).merchant.id).toBe(document.id);
    agent.assertNoPendingInterceptors();
  });

  it('as the dispatcher option, which takes precedence over the global one', async () => {
    useGlobally(agentWith(false));
    const agent = agentWith(true);
    expect((await clientOf(HUB, { dispatcher: agent }).hub.merchant.get()).merchant.id).toBe(document.id);
    agent.assertNoPendingInterceptors();
  });

  it('through its own request method, because another version of undici would not accept our handlers', async () => {
    const agent = agentWith(true);
    const request = vi.spyOn(agent, 'request');
    expect((await clientOf(HUB, { dispatcher: agent }).hub.merchant.get()).merchant.id).toBe(document.id);
    expect(request).toHaveBeenCalledTimes(1);
  });

  it('also as an object that only has a dispatch method', async () => {
    const agent = agentWith(true);
    const dispatcher = { dispatch: agent.dispatch.bind(agent) };
    expect((await clientOf(HUB, { dispatcher }).hub.merchant.get()).merchant.id).toBe(document.id);
  });

  it.each(['the global dispatcher', 'the dispatcher option'])(
    'and reports at once that nothing matches, as %s',
    async (how) => {
      const agent = agentWith(false);
      if (how === 'the global dispatcher') useGlobally(agent);
      const options = how === 'the dispatcher option' ? { dispatcher: agent } : {};
      const message = `subsequent request to origin ${HUB} was not allowed`;
      expect(await failsAtOnce(patientClient(options))).toContain(message);
    },
  );

  it('and a failure that it replies with is retried like a network failure', async () => {
    const agent = agentWith(false);
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    agent.get(HUB).intercept({ path: MERCHANT_PATH }).replyWithError(reset);
    agent.get(HUB).intercept({ path: MERCHANT_PATH }).reply(200, document);
    useGlobally(agent);
    const { hub, clock } = patientClient();
    expect((await during(clock, '1m', hub.merchant.get())).merchant.id).toBe(document.id);
  });
});

it('the fetch option takes precedence over every mock', async () => {
  const stub = vi.fn(async () => menuResponse());
  vi.stubGlobal('fetch', stub);
  const dispatcher = new MockAgent();
  const own = vi.fn(async () => menuResponse({ status: 'UNAVAILABLE' }));
  const { hub } = clientOf(HUB, { fetch: own, dispatcher });
  expect((await hub.merchant.get()).merchant.status).toBe('UNAVAILABLE');
  expect([own.mock.calls.length, stub.mock.calls.length]).toEqual([1, 0]);
});

describe('the global fetch', () => {
  it('is not used if it is the one of Node, and every replacement is', async () => {
    expect(await isSentByFetch()).toBe(false);
    const replacements = [
      vi.fn(nodeFetch),
      nodeFetch.bind(globalThis),
      new Proxy(nodeFetch, {}),
      (...given: Parameters<typeof fetch>) => nodeFetch(...given),
      async function fetch(input: string, init?: RequestInit) {
        return nodeFetch(input, init);
      },
      undiciFetch,
    ];
    for (const replacement of replacements) {
      vi.stubGlobal('fetch', replacement);
      expect(await isSentByFetch()).toBe(true);
    }
  });
});
