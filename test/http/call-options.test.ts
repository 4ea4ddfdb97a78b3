import {
  ConfigurationError,
  type HubClientOptions,
  HubError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from 'opendelivery-client';
import { createMockHub, ManualClock, type MockHub } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { version } from '../../package.json';
import { CLIENT_CALLS } from '../shutdown/calls.js';
import { during, settledNow } from '../support.js';
import { clientAndMock, clientOf, failure, timesAt } from './support.js';

const countOf = (mock: MockHub, endpoint: string) => timesAt(mock, endpoint).length;

const INVALID: ReadonlyArray<[given: unknown, option: string]> = [
  [{ timeoutMs: 0 }, 'timeoutMs'],
  [{ timeoutMs: Number.POSITIVE_INFINITY }, 'timeoutMs'],
  [{ timeoutMs: '5s' }, 'timeoutMs'],
  [{ retry: { attempts: 0 } }, 'retry.attempts'],
  [{ retry: { deadlineMs: -1 } }, 'retry.deadlineMs'],
  [{ retry: { atempts: 1 } }, 'retry.atempts'],
  [{ retry: 3 }, 'retry'],
  [{ timeout: 5 }, 'timeout'],
  [{ signal: {} }, 'signal'],
  [{ signal: new AbortController() }, 'signal'],
  [null, 'options'],
];

describe.each(CLIENT_CALLS)('$name', ({ endpoint, call }) => {
  it('rejects invalid options with an error that names the option, and sends nothing', async () => {
    const { mock, hub } = clientAndMock();
    for (const [given, option] of INVALID) {
      const error = await failure(call(hub, given as Readonly<Record<string, unknown>>), ConfigurationError);
      expect([given, error.option]).toEqual([given, option]);
    }
    expect(mock.requests).toEqual([]);
  });

  it('ends each attempt after the timeoutMs of the call, and makes as many attempts as its retry says', async () => {
    const { clock, mock, hub } = clientAndMock();
    if (endpoint !== 'token') await hub.auth.getToken();
    const before = countOf(mock, endpoint);
    mock.faults.next(endpoint as 'order', 'hang', 9);
    const startedAt = clock.monotonic();
    const limits = { timeoutMs: 700, retry: { attempts: 2, maxDelayMs: 1 } };
    const failed = during(clock, '2s', failure(call(hub, limits), TimeoutError));
    expect(await failed).toMatchObject({ timeoutMs: 700 });
    const attempts = endpoint === 'orderStatus' ? 1 : 2;
    expect(countOf(mock, endpoint) - before).toBe(attempts);
    expect(clock.monotonic() - startedAt).toBe(2000);
  });
});

describe('the retry of a call', () => {
  it("merges with the client's", async () => {
    const { clock, mock, hub } = clientAndMock({ retry: { attempts: 3, minDelayMs: 10, maxDelayMs: 10 } });
    mock.faults.next('merchant', 500, 20);
    const failed = failure(hub.merchant.get({ retry: { maxDelayMs: 5 } }), ServerError);
    await clock.advance('1s');
    expect(await failed).toMatchObject({ attempts: 3 });
    const more = failure(hub.merchant.get({ retry: { attempts: 6 } }), ServerError);
    await clock.advance('1s');
    expect(await more).toMatchObject({ attempts: 6 });
  });

  it('limits the wait for an endpoint that a 429 has blocked, and the endpoint stays blocked', async () => {
    const { clock, mock, hub } = clientAndMock();
    const { orderId } = mock.createOrder();
    await hub.auth.getToken();
    mock.faults.next('order', { type: 'status', status: 429, headers: { 'retry-after': '100' } });
    const hurried = await failure(hub.orders.get(orderId, { retry: { deadlineMs: 99_000 } }), RateLimitError);
    expect(hurried).toMatchObject({ origin: 'hub' });
    expect(hurried.retryAfterMs).toBeGreaterThanOrEqual(100_000);
    const next = await failure(hub.orders.get(orderId, { retry: { deadlineMs: 50_000 } }), RateLimitError);
    expect(next).toMatchObject({ origin: 'local' });
    const patient = hub.orders.get(orderId);
    expect(await settledNow(clock, patient)).toBe('pending');
    await clock.advance('2m');
    expect((await patient).order.id).toBe(orderId);
    expect(mock.violations()).toEqual([]);
  });

  it('limits that wait to the rest of the deadline, which started with the call', async () => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const { orderId } = mock.createOrder();
    let sent = 0;
    const blocked = () => new Response('', { status: 429, headers: { 'retry-after': '60' } });
    const { hub } = clientOf(mock.baseUrl, {
      clock,
      retry: { attempts: 4, deadlineMs: 90_000 },
      fetch: async (url, init) => {
        if (!url.endsWith(orderId)) return mock.fetch(url, init);
        sent += 1;
        if (sent === 1) return blocked();
        // The second request is in progress while the first gets its 429; its own 429 blocks the endpoint until 110 s.
        await clock.sleep(50_000).finally(clock.park());
        return blocked();
      },
    });
    await hub.auth.getToken();
    const options = { timeoutMs: 60_000 };
    const [first, second] = [1, 2].map(() => failure(hub.orders.get(orderId, options), RateLimitError));
    await clock.advance('65s');
    expect(await settledNow(clock, first as Promise<Error>)).toMatchObject({ value: { origin: 'local' } });
    expect(await settledNow(clock, second as Promise<Error>)).toMatchObject({ value: { origin: 'hub' } });
    expect(sent).toBe(2);
  });

  it('with a longer timeoutMs keeps the quota slot as long as the attempt may take', async () => {
    const { clock, mock, hub } = clientAndMock({ timeoutMs: 1000 });
    await hub.auth.getToken();
    mock.faults.next('polling', 'hang', 2);
    const polls = [1, 2].map(() =>
      failure(hub.events.poll({ timeoutMs: 200_000, retry: { attempts: 1 } }), TimeoutError),
    );
    await clock.advance('100s');
    const third = hub.events.poll();
    await clock.advance('99s');
    expect(await settledNow(clock, third)).toBe('pending');
    await clock.advance('2m');
    await Promise.all([...polls, third]);
    expect(mock.violations()).toEqual([]);
  });
});

describe('two callers that share one request', () => {
  it('for a token: the short time-out of one caller fails only that caller', async () => {
    const { clock, mock, hub } = clientAndMock();
    mock.faults.next('token', 'hang');
    const hurried = failure(hub.auth.getToken({ timeoutMs: 500, retry: { attempts: 1 } }), TimeoutError);
    const patient = [hub.auth.getToken(), hub.auth.getToken()];
    await clock.advance('1s');
    await hurried;
    const tokens = await Promise.all(patient);
    expect(tokens[0]).toEqual(tokens[1]);
    expect(countOf(mock, 'token')).toBe(2);
  });

  it('for the menu: the short time-out of one caller fails only that caller', async () => {
    const { clock, mock, hub } = clientAndMock();
    await hub.merchant.get();
    mock.faults.next('merchant', 'hang');
    const hurried = hub.merchant.get({ fresh: true, timeoutMs: 500, retry: { attempts: 1 } });
    const patient = hub.merchant.get({ fresh: true });
    await clock.advance('1s');
    expect((await hurried).stale).toBe('error');
    expect((await patient).stale).toBe(false);
    expect(countOf(mock, 'merchant')).toBe(3);
  });

  it('share a 401 too, because other limits do not change it', async () => {
    const { mock, hub } = clientAndMock();
    mock.faults.next('token', 401);
    const errors = await Promise.all([
      failure(hub.auth.getToken({ timeoutMs: 500 }), HubError),
      failure(hub.auth.getToken(), HubError),
    ]);
    expect(errors[0]).toBe(errors[1]);
    expect(countOf(mock, 'token')).toBe(1);
  });
});

describe('requestId', () => {
  const HEADERS = ['x-request-id', 'x-correlation-id', 'traceparent', 'cf-ray'];

  async function received(headers: Record<string, string>) {
    const { mock, hub } = clientAndMock({ retry: { attempts: 1 } });
    const seen: (string | undefined)[] = [];
    hub.on('response', (event) => seen.push('requestId' in event ? event.requestId : undefined));
    mock.faults.next('merchant', { type: 'status', status: 500, headers });
    const error = await failure(hub.merchant.get(), ServerError);
    expect(seen).toEqual([error.requestId]);
    return error;
  }

  it('is the first of the headers that the hub sent, in the error and in the event', async () => {
    for (const [at, name] of HEADERS.entries()) {
      const headers = Object.fromEntries(HEADERS.slice(at).map((each) => [each, `id-of-${each}`]));
      expect((await received(headers)).requestId).toBe(`id-of-${name}`);
    }
    expect((await received({ 'x-request-id': ' ', 'cf-ray': '8f00-GRU' })).requestId).toBe('8f00-GRU');
  });

  it('is absent without such a header', async () => {
    expect('requestId' in (await received({ 'x-other': '1' }))).toBe(false);
  });

  it('is in the JSON of the error', async () => {
    expect(JSON.parse(JSON.stringify(await received({ 'cf-ray': 'a' })))).toMatchObject({ requestId: 'a' });
  });

  it('is limited in length, printable and without secrets', async () => {
    expect((await received({ traceparent: 'x'.repeat(9000) })).requestId).toBe('x'.repeat(128));
    expect((await received({ 'x-request-id': 'a\u00e9\tb' })).requestId).toBe('a??b');
    const { requestId } = await received({ 'x-request-id': 'key=mock-api-key' });
    expect(requestId).toMatch(/^key=.+/);
    expect(requestId).not.toContain('mock-api-key');
    const halved = await received({ 'x-request-id': `${'x'.repeat(120)}mock-api-key` });
    expect(halved.requestId).not.toContain('mock');
  });
});

describe('user-agent', () => {
  async function sent(options: Partial<HubClientOptions>) {
    let userAgent: unknown;
    const { mock } = clientAndMock();
    const { hub } = clientOf(mock.baseUrl, {
      ...options,
      fetch: (url, init) => {
        userAgent = init.headers['user-agent'];
        return mock.fetch(url, init);
      },
    });
    await hub.merchant.get();
    return userAgent;
  }

  it('names this package and its version', async () => {
    expect(await sent({})).toBe(`opendelivery-client/${version}`);
  });

  it.each([
    [{ name: 'my-app' }, 'my-app'],
    [{ name: 'my-app', version: '1.2.3-rc.1+5' }, 'my-app/1.2.3-rc.1+5'],
    [{ name: 'my-app', url: 'https://my-app.example/a?b=c' }, 'my-app (https://my-app.example/a?b=c)'],
    [{ name: 'a', version: '1', url: 'http://x' }, 'a/1 (http://x)'],
  ])('names the application after it: %j', async (appInfo, expected) => {
    expect(await sent({ appInfo })).toBe(`opendelivery-client/${version} ${expected}`);
  });

  it('is replaced by a user-agent in `headers`', async () => {
    expect(await sent({ appInfo: { name: 'my-app' }, headers: { 'User-Agent': 'mine/1' } })).toBe('mine/1');
  });
});
