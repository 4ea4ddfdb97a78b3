import {
  AuthenticationError,
  ClosedError,
  ConfigurationError,
  memoryState,
  RateLimitError,
} from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { methodsOf } from '../state/methods.js';
import { clientOf, densest, requestsTo, settledNow, stage } from '../support.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('getToken', () => {
  it('renews once for ten concurrent callers', async () => {
    const { clock, mock, hub } = stage({ latencyMs: 100 });
    const tokens = Promise.all(Array.from({ length: 10 }, () => hub.auth.getToken()));
    await clock.advance('1s');
    expect(new Set((await tokens).map(({ value }) => value)).size).toBe(1);
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });

  it("does not let one caller's abort fail the others", async () => {
    const { clock, mock, hub } = stage({ latencyMs: 1000 });
    const controller = new AbortController();
    const first = hub.auth.getToken({ signal: controller.signal });
    const second = hub.auth.getToken();
    const aborted = expect(first).rejects.toThrow('left');
    await clock.advance(100);
    controller.abort(new Error('left'));
    await aborted;
    await clock.advance('2s');
    expect((await second).value).toMatch(/^mock\./);
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });

  it('counts the expiry from the start of the request', async () => {
    const { clock, hub } = stage({ latencyMs: 10_000 });
    const startedAt = clock.now();
    const token = hub.auth.getToken();
    await clock.advance('20s');
    expect((await token).expiresAt).toBe(startedAt + 7 * DAY_MS);
  });

  it.each([
    ['text', 7 * DAY_MS],
    ['epoch', 7 * DAY_MS],
    ['absent', HOUR_MS],
    ['seconds', 7 * DAY_MS],
  ] as const)('reads expires_in as %s', async (expiresIn, lifetimeMs) => {
    const { clock, hub } = stage({ expiresIn });
    expect((await hub.auth.getToken()).expiresAt).toBe(clock.now() + lifetimeMs);
  });

  it.each([0, -1, '0'])(
    'does not believe an expires_in of %j that leaves no token: an hour is assumed',
    async (expiresIn) => {
      const { clock, mock, hub } = stage();
      const body = { access_token: 'abc', token_type: 'bearer', expires_in: expiresIn };
      mock.faults.next('token', { type: 'status', status: 200, body }, 2);
      expect((await hub.auth.getToken()).expiresAt).toBe(clock.now() + HOUR_MS);
      await hub.auth.getToken();
      expect(requestsTo(mock, 'token')).toHaveLength(1);
    },
  );

  it('reads the camelCase spelling', async () => {
    const { clock, mock, hub } = stage();
    mock.faults.next('token', {
      type: 'status',
      status: 200,
      body: { accessToken: 'abc', tokenType: 'Bearer', expiresIn: 60 },
    });
    expect(await hub.auth.getToken()).toEqual({ value: 'abc', expiresAt: clock.now() + 60_000 });
  });

  it.each([
    ['no token', {}],
    ['a token with a line break', { access_token: 'a\r\nx-evil: 1' }],
    ['a list', []],
  ])('refuses an answer with %s', async (_name, body) => {
    const { mock, hub } = stage();
    mock.faults.next('token', { type: 'status', status: 200, body });
    await expect(hub.auth.getToken()).rejects.toMatchObject({ code: 'invalid_response' });
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });

  it.each([400, 401])('does not retry credentials refused with %i', async (status) => {
    const { mock, hub } = stage();
    mock.faults.next('token', status);
    const failure = await hub.auth.getToken().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AuthenticationError);
    expect(failure).toMatchObject({ which: 'token', status, retryable: false, attempts: 1 });
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });

  it('tells what is missing at the call', async () => {
    const { hub } = stage({}, { clientSecret: undefined });
    await expect(hub.auth.getToken()).rejects.toBeInstanceOf(ConfigurationError);
    expect((await hub.merchant.get()).stale).toBe(false);
  });

  it('asks a function for the secret each time', async () => {
    const secrets = ['old', 'mock-client-secret'];
    const { hub } = stage({}, { clientSecret: async () => secrets.shift() as string });
    await expect(hub.auth.getToken()).rejects.toBeInstanceOf(AuthenticationError);
    expect((await hub.auth.getToken()).value).toMatch(/^mock\./);
  });
});

describe('renewal', () => {
  it('gives the cached token at once in the last tenth, and renews it in the background', async () => {
    const { clock, mock, hub } = stage({ tokenLifetimeMs: DAY_MS });
    const { value } = await hub.auth.getToken();
    await clock.advance('21h');
    expect((await hub.auth.getToken()).value).toBe(value);
    expect(requestsTo(mock, 'token')).toHaveLength(1);
    await clock.advance('2h');
    expect((await hub.auth.getToken()).value).toBe(value);
    await clock.advance('1s');
    expect(requestsTo(mock, 'token')).toHaveLength(2);
    expect((await hub.auth.getToken()).value).not.toBe(value);
  });

  it('renews a week-old token within its last twelve hours, jittered', async () => {
    const renewedAt: number[] = [];
    for (let run = 0; run < 8; run += 1) {
      const { clock, mock, hub } = stage();
      await hub.auth.getToken();
      await clock.advance('6d');
      while (requestsTo(mock, 'token').length === 1) {
        await clock.advance('5m');
        await hub.auth.getToken();
        await clock.advance(1);
      }
      renewedAt.push((requestsTo(mock, 'token')[1]?.monotonicAt as number) / HOUR_MS);
    }
    expect(Math.min(...renewedAt)).toBeGreaterThanOrEqual(156);
    expect(Math.max(...renewedAt)).toBeLessThanOrEqual(158.5);
    expect(new Set(renewedAt).size).toBeGreaterThan(1);
  });

  it('shows no caller the failure of a background renewal, and spends at most five requests an hour on it', async () => {
    const { clock, mock, hub } = stage({ tokenLifetimeMs: DAY_MS });
    const failures: boolean[] = [];
    hub.on('tokenRenewalFailed', ({ background }) => failures.push(background));
    await hub.auth.getToken();
    await clock.advance('21h');
    mock.faults.next('token', 500, 1000);
    for (let minute = 0; minute < 170; minute += 1) {
      await clock.advance('1m');
      expect((await hub.auth.getToken()).value).toMatch(/^mock\./);
    }
    expect(failures.length).toBeGreaterThan(2);
    expect(failures.every((background) => background)).toBe(true);
    expect(densest(requestsTo(mock, 'token'), HOUR_MS)).toBeLessThanOrEqual(5);
  });

  it('lets callers wait in the last minute', async () => {
    const { clock, mock, hub } = stage({ tokenLifetimeMs: DAY_MS, latencyMs: 500 });
    const first = hub.auth.getToken();
    await clock.advance('1s');
    const { value } = await first;
    await clock.advance(DAY_MS - 30_000);
    const second = hub.auth.getToken();
    expect(await settledNow(clock, second)).toBe('pending');
    await clock.advance('1s');
    expect((await second).value).not.toBe(value);
    expect(requestsTo(mock, 'token')).toHaveLength(2);
  });

  it('does not hand the failure of a background renewal to a caller who needs a token', async () => {
    const { clock, mock, hub } = stage({ tokenLifetimeMs: DAY_MS, latencyMs: 2000 });
    const first = hub.auth.getToken();
    await clock.advance('3s');
    await first;
    await clock.advance('23h');
    mock.faults.next('token', { type: 'status', status: 500 });
    const cached = hub.auth.getToken();
    await clock.advance(100);
    await cached;
    const renewed = hub.auth.renew();
    await clock.advance('10s');
    expect((await renewed).value).toMatch(/^mock\./);
  });

  it.each([
    ['the wall clock steps forward', (clock: { step(ms: number): void }) => clock.step(8 * DAY_MS), 2],
    ['the wall clock steps back', (clock: { step(ms: number): void }) => clock.step(-8 * DAY_MS), 1],
  ])('when %s', async (_name, step, expected) => {
    const { clock, mock, hub } = stage();
    await hub.auth.getToken();
    step(clock);
    await hub.auth.getToken();
    await clock.advance('1s');
    expect(requestsTo(mock, 'token')).toHaveLength(expected);
    // And the other clock still ends it.
    await clock.advance('8d');
    await hub.auth.getToken();
    expect(requestsTo(mock, 'token')).toHaveLength(expected + 1);
  });

  it('that is asked for gives a new token also where the state has one', async () => {
    const state = memoryState();
    const { mock, clock, hub } = stage({}, { state });
    const { value } = await hub.auth.getToken();
    const restarted = clientOf(mock, { clock, state }).hub;
    expect((await restarted.auth.renew()).value).not.toBe(value);
    expect(requestsTo(mock, 'token')).toHaveLength(2);
  });

  it('lives thirty virtual days on five tokens', async () => {
    const { clock, mock, hub } = stage();
    for (let hour = 0; hour < 30 * 24; hour += 1) {
      await hub.events.acknowledge([mock.emit('CREATED')]);
      await clock.advance('1h');
    }
    expect(requestsTo(mock, 'token')).toHaveLength(5);
    expect(requestsTo(mock, 'acknowledgment').every(({ status }) => status === 202)).toBe(true);
    expect(mock.violations()).toEqual([]);
  });
});

it('a call that waited for its slot goes out with the token of the moment', async () => {
  const { clock, mock, hub } = stage({ tokenLifetimeMs: 90_000 });
  await hub.events.poll();
  await clock.advance('30s');
  await hub.events.poll();
  await clock.advance('29s');
  // Asked for at 59 s with a token that ends at 90 s; the slot of the fourth is there at 90 s.
  const third = hub.events.poll();
  const fourth = hub.events.poll();
  await clock.advance('2m');
  await Promise.all([third, fourth]);
  expect(requestsTo(mock, 'polling').map(({ status }) => status)).toEqual([204, 204, 204, 204]);
});

describe('a refused token', () => {
  it('is renewed once, and the call replayed once', async () => {
    const { clock, mock, hub } = stage();
    await hub.events.poll();
    await clock.advance('10m');
    mock.revokeTokens();
    expect(await hub.events.poll()).toEqual({ events: [], issues: [] });
    expect(requestsTo(mock, 'token')).toHaveLength(2);
    expect(requestsTo(mock, 'polling').map(({ status }) => status)).toEqual([204, 401, 204]);
  });

  it('younger than five minutes renews nothing', async () => {
    const { clock, mock, hub } = stage();
    await hub.auth.getToken();
    await clock.advance('4m');
    mock.revokeTokens();
    for (let call = 0; call < 20; call += 1) {
      await expect(hub.orders.get('x')).rejects.toMatchObject({ code: 'authentication', which: 'bearer' });
    }
    expect(requestsTo(mock, 'token')).toHaveLength(1);
    await clock.advance('1m');
    await expect(hub.orders.get('x')).rejects.toMatchObject({ code: 'not_found' });
    expect(requestsTo(mock, 'token')).toHaveLength(2);
  });

  it('costs one renewal, however many calls it meets', async () => {
    const { clock, mock, hub } = stage({ latencyMs: () => 50 });
    const { orderId } = mock.createOrder();
    const warm = hub.orders.get(orderId);
    await clock.advance('10m');
    await warm;
    mock.revokeTokens();
    const calls = Promise.all(Array.from({ length: 30 }, () => hub.orders.get(orderId)));
    await clock.advance('10s');
    expect((await calls).length).toBe(30);
    expect(requestsTo(mock, 'token')).toHaveLength(2);
  });

  it('that is an old one never throws away the new one', async () => {
    const { mock, hub } = stage();
    const old = await hub.auth.getToken();
    const renewed = await hub.auth.renew();
    expect(renewed.value).not.toBe(old.value);
    await hub.auth.invalidate(old.value);
    expect((await hub.auth.getToken()).value).toBe(renewed.value);
    await hub.auth.invalidate(renewed.value);
    expect((await hub.auth.getToken()).value).not.toBe(renewed.value);
    expect(requestsTo(mock, 'token')).toHaveLength(3);
  });

  it('that is an old one leaves the new one in memory too, whatever the state has', async () => {
    const state = { ...methodsOf(memoryState()), get: () => undefined };
    const { mock, hub } = stage({}, { state });
    const old = await hub.auth.getToken();
    const renewed = await hub.auth.renew();
    await hub.auth.invalidate(old.value);
    expect((await hub.auth.getToken()).value).toBe(renewed.value);
    expect(requestsTo(mock, 'token')).toHaveLength(2);
  });

  it('by a hub that refuses all for six hours costs at most ten requests an hour', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller();
    poller.on('event', () => {});
    poller.on('error', () => {});
    await poller.start();
    mock.faults.next('polling', 401, 100_000);
    mock.faults.next('order', 401, 100_000);
    for (let minute = 0; minute < 6 * 60; minute += 1) {
      await clock.advance('1m');
      void hub.orders.get('x').catch(() => {});
    }
    expect(densest(requestsTo(mock, 'token'), HOUR_MS)).toBeLessThanOrEqual(10);
    mock.faults.clear();
    await clock.advance('61m');
    expect(poller.health().consecutiveFailures).toBe(0);
    expect(mock.violations()).toEqual([]);
    await poller.stop();
  });
});

describe('the budget of ten an hour', () => {
  it('is not spent by five bad minutes of the token endpoint: a token comes soon after them', async () => {
    const { clock, mock, hub } = stage();
    mock.faults.next('token', 500, 1000);
    for (let half = 0; half < 10; half += 1) {
      const call = hub.auth.getToken().catch((error: Error) => error.name);
      await clock.advance('30s');
      expect(await settledNow(clock, call)).toEqual({ value: 'ServerError' });
    }
    mock.faults.clear();
    await clock.advance('8m');
    expect((await hub.auth.getToken()).value).toBeTruthy();
    expect(requestsTo(mock, 'token').length).toBeLessThanOrEqual(10);
  });

  it('holds against a crash loop that shares its state', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    const outcomes: unknown[] = [];
    for (let crash = 0; crash < 60; crash += 1) {
      const { hub } = clientOf(mock, { clock, state, clientSecret: 'wrong', rateLimit: { mode: 'throw' } });
      outcomes.push(await hub.auth.getToken().catch((error: unknown) => error));
      await hub.close();
      await clock.advance('30s');
    }
    expect(requestsTo(mock, 'token')).toHaveLength(10);
    expect(outcomes.at(-1)).toBeInstanceOf(RateLimitError);
    expect(outcomes.at(-1)).toMatchObject({ origin: 'local' });
  });

  it('is spent once by twenty processes that begin at one moment over one state', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    const hubs = Array.from({ length: 20 }, () => clientOf(mock, { clock, state }).hub);
    const tokens = Promise.all(hubs.map((hub) => hub.auth.getToken()));
    await clock.advance('1s');
    expect(new Set((await tokens).map(({ value }) => value)).size).toBe(1);
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });

  it('is not held up for long by a process that died while it asked', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    mock.faults.next('token', 'hang');
    const dying = clientOf(mock, { clock, state, timeoutMs: 86_400_000 }).hub;
    dying.auth.getToken().catch(() => {});
    await clock.advance('1s');
    const { hub } = clientOf(mock, { clock, state });
    const token = hub.auth.getToken();
    await clock.advance('28s');
    expect(requestsTo(mock, 'token')).toHaveLength(1);
    await clock.advance('2s');
    expect((await token).value).toMatch(/^mock\./);
  });

  it('is not waited for without end where the state refuses everything', async () => {
    const refusing = {
      ...methodsOf(memoryState()),
      reserve: () => ({ granted: false, waitMs: 1000, reason: 'quota' }),
    };
    const { clock, hub } = stage({}, { state: refusing as never, rateLimit: { mode: 'throw' } });
    const outcome = hub.auth.getToken().catch((error: unknown) => error);
    await clock.advance('31s');
    expect(await outcome).toBeInstanceOf(RateLimitError);
  });

  it('is not waited for by a client that is closed meanwhile', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    mock.faults.next('token', 'hang');
    const first = clientOf(mock, { clock, state }).hub;
    first.auth.getToken().catch(() => {});
    await clock.advance(1);
    const { hub } = clientOf(mock, { clock, state });
    const waiting = expect(hub.auth.getToken()).rejects.toBeInstanceOf(ClosedError);
    await clock.advance(1);
    await hub.close();
    await waiting;
  });

  it('is not touched by a restart that finds a token in the state', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    for (let restart = 0; restart < 50; restart += 1) {
      const { hub } = clientOf(mock, { clock, state });
      await hub.auth.getToken();
      await hub.close();
    }
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });

  it('takes another store in a shared state for a stranger', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    mock.addStore({ clientId: '2002', clientSecret: 'two', apiKey: 'key-two' });
    const one = clientOf(mock, { clock, state }).hub;
    const two = clientOf(mock, { clock, state, clientId: '2002', clientSecret: 'two' }).hub;
    expect((await one.auth.getToken()).value).not.toBe((await two.auth.getToken()).value);
    expect(requestsTo(mock, 'token').map(({ clientId }) => clientId)).toEqual(['1001', '2002']);
  });

  it('is not touched by a state that answers late that it has no token', async () => {
    let answer: (token: undefined) => void = () => {};
    const late = new Promise<undefined>((resolve) => {
      answer = resolve;
    });
    const answers: unknown[] = [late];
    const { clock, mock, hub } = stage(
      {},
      { state: { ...methodsOf(memoryState()), get: () => answers.shift() } as never },
    );
    const first = hub.auth.getToken();
    const second = await hub.auth.getToken();
    answer(undefined);
    await clock.advance(1);
    expect(await first).toEqual(second);
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });

  it('reads a corrupt or foreign token in the state as none', async () => {
    for (const stored of [
      '',
      'nonsense',
      '{}',
      '[]',
      'null',
      '{"value":"a\\nb","obtainedAt":1,"lifetimeMs":1}',
      '{"__proto__":{"value":"a","obtainedAt":1,"lifetimeMs":1}}',
      '{"value":"a","obtainedAt":"1","lifetimeMs":true}',
      '{"value":"a","obtainedAt":4000000000000,"lifetimeMs":604800000}',
      '{"orderId":"1","orderURL":"https://hub.example/1"}',
    ]) {
      const state = memoryState();
      const corrupt = { ...methodsOf(state), get: () => stored };
      const { mock, hub } = stage({}, { state: corrupt });
      expect((await hub.auth.getToken()).value).toMatch(/^mock\./);
      expect(requestsTo(mock, 'token')).toHaveLength(1);
    }
  });
});
