import {
  AuthenticationError,
  ClosedError,
  ConfigurationError,
  memoryState,
  RateLimitError,
} from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { fixRandom } from '../http/support.js';
import { runs } from '../runs.js';
import { methodsOf } from '../state/methods.js';
import { clientOf, densest, during, requestsTo, settledNow, stage } from '../support.js';

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

  it('counts the expiry from the start of the request', async () => {
    const { clock, hub } = stage({ latencyMs: 10_000 });
    const startedAt = clock.now();
    expect((await during(clock, '20s', hub.auth.getToken())).expiresAt).toBe(startedAt + 7 * DAY_MS);
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

  it.each([0, -1, '0', 'a week'])('assumes an hour for an expires_in of %j', async (expiresIn) => {
    const { clock, mock, hub } = stage();
    const body = { access_token: 'abc', token_type: 'bearer', expires_in: expiresIn };
    mock.faults.next('token', { type: 'status', status: 200, body }, 2);
    expect((await hub.auth.getToken()).expiresAt).toBe(clock.now() + HOUR_MS);
    await hub.auth.getToken();
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });

  it.each([
    { accessToken: 'abc', tokenType: 'Bearer', expiresIn: 60 },
    { access_token: 'abc', token_type: 'BEARER', expires_in: 60 },
  ])('reads another spelling: %j', async (body) => {
    const { clock, mock, hub } = stage();
    mock.faults.next('token', { type: 'status', status: 200, body });
    expect(await hub.auth.getToken()).toEqual({ value: 'abc', expiresAt: clock.now() + 60_000 });
  });

  it.each([
    ['nothing', {}],
    ['null', { access_token: null }],
    ['an object', { access_token: {} }],
    ['another key', { token: 't' }],
    ['an array', []],
  ])('rejects a response with %s in place of the token', async (_name, body) => {
    const { mock, hub } = stage();
    mock.faults.next('token', { type: 'status', status: 200, body });
    await expect(hub.auth.getToken()).rejects.toMatchObject({ code: 'invalid_response' });
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });

  it.each([400, 401])('does not retry credentials rejected with %i', async (status) => {
    const { mock, hub } = stage();
    mock.faults.next('token', status);
    const failure = await hub.auth.getToken().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AuthenticationError);
    expect(failure).toMatchObject({ which: 'token', status, retryable: false, attempts: 1 });
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });

  it('reports a missing option when it is called', async () => {
    const { hub } = stage({}, { clientSecret: undefined });
    await expect(hub.auth.getToken()).rejects.toBeInstanceOf(ConfigurationError);
    expect((await hub.merchant.get()).stale).toBe(false);
  });

  it('calls the function of a secret for every request', async () => {
    const secrets = ['old', 'mock-client-secret'];
    const { hub } = stage({}, { clientSecret: async () => secrets.shift() as string });
    await expect(hub.auth.getToken()).rejects.toBeInstanceOf(AuthenticationError);
    expect((await hub.auth.getToken()).value).toMatch(/^mock\./);
  });
});

describe('renewal', () => {
  it('returns the cached token at once in its last tenth, and renews it in the background', async () => {
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

  it('renews a token of a week within its last twelve hours, with jitter', async () => {
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

  it('in the background fails without an error for callers, and sends at most five requests an hour', async () => {
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

  it.each([
    // Five requests an hour.
    { what: 'in the background', wait: '23h', pausesS: [60, 120, 240, 480], rounds: 1 },
    // Eight requests an hour, of the ten that are allowed.
    { what: 'that callers wait for', wait: '24h', pausesS: [60, 120, 240, 480, 480], rounds: 2 },
  ] as const)(
    '$what is paused for a minute after its failure, and twice as long after each further one',
    async ({ wait, pausesS, rounds }) => {
      fixRandom(0);
      const { clock, mock, hub } = stage({ tokenLifetimeMs: DAY_MS }, { retry: { attempts: 1 } });
      const ask = async () => {
        await hub.auth.getToken().catch(() => {});
        await clock.advance(0);
        return requestsTo(mock, 'token').length;
      };
      let sent = 0;
      for (let round = 0; round < rounds; round += 1) {
        expect(await ask()).toBe((sent += 1));
        await clock.advance(wait);
        mock.faults.next('token', 500, 100);
        expect(await ask()).toBe((sent += 1));
        for (const seconds of pausesS) {
          await clock.advance(seconds * 1000 - 1);
          expect(await ask()).toBe(sent);
          await clock.advance(1);
          expect(await ask()).toBe((sent += 1));
        }
        mock.faults.clear();
        await clock.advance('1h');
      }
    },
  );

  it('in the background serves a caller who needs a new token', async () => {
    const { clock, mock, hub } = stage({ tokenLifetimeMs: DAY_MS, latencyMs: 2000 });
    const { value } = await during(clock, '3s', hub.auth.getToken());
    await clock.advance('23h');
    expect((await hub.auth.getToken()).value).toBe(value);
    expect((await during(clock, '10s', hub.auth.renew())).value).not.toBe(value);
    expect(requestsTo(mock, 'token')).toHaveLength(2);
  });

  it('is not paused by the short time-out of one caller', async () => {
    const { clock, mock, hub } = stage();
    mock.faults.next('token', 'hang');
    const hurried = expect(
      hub.auth.getToken({ timeoutMs: 500, retry: { attempts: 1 } }),
    ).rejects.toMatchObject({ code: 'timeout' });
    await clock.advance('1s');
    await hurried;
    expect((await hub.auth.getToken()).value).toMatch(/^mock\./);
  });

  it('makes callers wait in the last minute', async () => {
    const { clock, mock, hub } = stage({ tokenLifetimeMs: DAY_MS, latencyMs: 500 });
    const { value } = await during(clock, '1s', hub.auth.getToken());
    await clock.advance(DAY_MS - 30_000);
    const second = hub.auth.getToken();
    expect(await settledNow(clock, second)).toBe('pending');
    await clock.advance('1s');
    expect((await second).value).not.toBe(value);
    expect(requestsTo(mock, 'token')).toHaveLength(2);
  });

  it('in the background does not pass its failure to a caller who needs a token', async () => {
    const { clock, mock, hub } = stage({ tokenLifetimeMs: DAY_MS, latencyMs: 2000 });
    await during(clock, '3s', hub.auth.getToken());
    await clock.advance('23h');
    mock.faults.next('token', { type: 'status', status: 500 });
    await during(clock, 100, hub.auth.getToken());
    expect((await during(clock, '10s', hub.auth.renew())).value).toMatch(/^mock\./);
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
    // By the other clock it still expires.
    await clock.advance('8d');
    await hub.auth.getToken();
    expect(requestsTo(mock, 'token')).toHaveLength(expected + 1);
  });

  it('with `renew` returns a new token also if the state has one', async () => {
    const state = memoryState();
    const { mock, clock, hub } = stage({}, { state });
    const { value } = await hub.auth.getToken();
    const restarted = clientOf(mock, { clock, state }).hub;
    expect((await restarted.auth.renew()).value).not.toBe(value);
    expect(requestsTo(mock, 'token')).toHaveLength(2);
  });

  it('needs five tokens in thirty virtual days', async () => {
    const { clock, mock, hub } = stage();
    const timesADay = runs(24);
    for (let time = 0; time < 30 * timesADay; time += 1) {
      await hub.events.acknowledge([mock.emit('CREATED')]);
      await clock.advance(`${24 / timesADay}h`);
    }
    expect(requestsTo(mock, 'token')).toHaveLength(5);
    expect(requestsTo(mock, 'acknowledgment').every(({ status }) => status === 202)).toBe(true);
    expect(mock.violations()).toEqual([]);
  });
});

it('a call that waited for its slot is sent with a token that is still valid', async () => {
  const { clock, mock, hub } = stage({ tokenLifetimeMs: 90_000 });
  await hub.events.poll();
  await clock.advance('30s');
  await hub.events.poll();
  await clock.advance('29s');
  // Called at 59 s with a token that expires at 90 s; the fourth call gets its slot at 90 s.
  const third = hub.events.poll();
  const fourth = hub.events.poll();
  await clock.advance('2m');
  await Promise.all([third, fourth]);
  expect(requestsTo(mock, 'polling').map(({ status }) => status)).toEqual([204, 204, 204, 204]);
});

describe('a rejected token', () => {
  it('is renewed once, and the call replayed once', async () => {
    const { clock, mock, hub } = stage();
    await hub.events.poll();
    await clock.advance('10m');
    mock.revokeTokens();
    expect(await hub.events.poll()).toEqual({ events: [], issues: [] });
    expect(requestsTo(mock, 'token')).toHaveLength(2);
    expect(requestsTo(mock, 'polling').map(({ status }) => status)).toEqual([204, 401, 204]);
  });

  it('is replayed with the same one if the hub issues that again, also in calls of one moment', async () => {
    const { clock, mock } = stage();
    let issued: Promise<string> | undefined;
    const sameToken: typeof fetch = async (input, init) => {
      const response = await mock.fetch(new Request(input, init));
      // The other call has its new token before this one is refused.
      if (response.status === 401 && String(input).includes('/orders/'))
        for (let turns = 0; turns < 50; turns += 1) await new Promise(setImmediate);
      if (!String(input).endsWith('/token')) return response;
      issued ??= response.text();
      return new Response(await issued);
    };
    const { hub } = clientOf(mock, { clock, fetch: sameToken });
    await hub.events.poll();
    await clock.advance('10m');
    const { orderId } = mock.createOrder();
    mock.faults.next('polling', 401);
    mock.faults.next('order', 401);
    const [{ events }, { order }] = await Promise.all([hub.events.poll(), hub.orders.get(orderId)]);
    expect([events.length, order.id]).toEqual([1, orderId]);
    expect(requestsTo(mock, 'token')).toHaveLength(2);
  });

  it('younger than five minutes is not renewed', async () => {
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

  it('younger than five minutes is replaced by a newer one of another client of the same state', async () => {
    const state = memoryState();
    const { clock, mock, hub } = stage({}, { state });
    const other = clientOf(mock, { clock, state }).hub;
    await hub.auth.getToken();
    await other.auth.getToken();
    await clock.advance('1m');
    mock.revokeTokens();
    await other.auth.renew();
    expect((await hub.events.poll()).events).toEqual([]);
    expect(requestsTo(mock, 'token')).toHaveLength(2);
  });

  it('is renewed once, however many calls it was sent with', async () => {
    const { clock, mock, hub } = stage({ latencyMs: () => 50 });
    const { orderId } = mock.createOrder();
    await during(clock, '10m', hub.orders.get(orderId));
    mock.revokeTokens();
    const calls = Promise.all(Array.from({ length: 30 }, () => hub.orders.get(orderId)));
    await clock.advance('10s');
    expect((await calls).length).toBe(30);
    expect(requestsTo(mock, 'token')).toHaveLength(2);
  });

  it('that is an old one never discards the new one', async () => {
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

  it('is removed from the state, unless another process has stored a newer one', async () => {
    const state = memoryState();
    const { clock, mock, hub } = stage({}, { state });
    const old = await hub.auth.getToken();
    const renewed = await clientOf(mock, { clock, state }).hub.auth.renew();
    await hub.auth.invalidate(old.value);
    const nextProcess = async () => (await clientOf(mock, { clock, state }).hub.auth.getToken()).value;
    expect(await nextProcess()).toBe(renewed.value);
    expect(requestsTo(mock, 'token')).toHaveLength(2);
    await hub.auth.invalidate(renewed.value);
    expect(await nextProcess()).not.toBe(renewed.value);
    expect(requestsTo(mock, 'token')).toHaveLength(3);
  });

  it('that is an old one leaves the new one in memory, whatever is in the state', async () => {
    const state = { ...methodsOf(memoryState()), get: () => undefined };
    const { mock, hub } = stage({}, { state });
    const old = await hub.auth.getToken();
    const renewed = await hub.auth.renew();
    await hub.auth.invalidate(old.value);
    expect((await hub.auth.getToken()).value).toBe(renewed.value);
    expect(requestsTo(mock, 'token')).toHaveLength(2);
  });

  it('is renewed at most ten times an hour, even if the hub rejects everything for hours', {
    tags: 'slow',
  }, async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller();
    poller.on('event', () => {});
    poller.on('error', () => {});
    await poller.start();
    mock.faults.next('polling', 401, 100_000);
    mock.faults.next('order', 401, 100_000);
    for (let minute = 0; minute < runs(6, 3) * 60; minute += 1) {
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

describe('the limit of ten requests an hour', () => {
  it('is not used up when the token endpoint fails for five minutes: a token is obtained soon after', async () => {
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

  it('is kept by a crash loop with a persistent state', async () => {
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

  it('is charged once for twenty processes that start at the same moment with one state', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    const hubs = Array.from({ length: 20 }, () => clientOf(mock, { clock, state }).hub);
    const tokens = Promise.all(hubs.map((hub) => hub.auth.getToken()));
    await clock.advance('1s');
    expect(new Set((await tokens).map(({ value }) => value)).size).toBe(1);
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });

  it('is kept, and callers wait at most 30 s for a process that died while it renewed', async () => {
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

  it('does not make callers wait without limit if the state refuses everything', async () => {
    const refusing = {
      ...methodsOf(memoryState()),
      reserve: () => ({ granted: false, waitMs: 1000, reason: 'quota' }),
    };
    const { clock, hub } = stage({}, { state: refusing as never, rateLimit: { mode: 'throw' } });
    const outcome = hub.auth.getToken().catch((error: unknown) => error);
    await clock.advance('31s');
    expect(await outcome).toBeInstanceOf(RateLimitError);
  });

  it('does not make a client wait that is closed meanwhile', async () => {
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

  it('is not charged after a restart that finds a token in the state', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    for (let restart = 0; restart < 50; restart += 1) {
      const { hub } = clientOf(mock, { clock, state });
      await hub.auth.getToken();
      await hub.close();
    }
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });

  it('is separate for each store that shares the state', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    mock.addStore({ clientId: '2002', clientSecret: 'two', apiKey: 'key-two' });
    const one = clientOf(mock, { clock, state }).hub;
    const two = clientOf(mock, { clock, state, clientId: '2002', clientSecret: 'two' }).hub;
    expect((await one.auth.getToken()).value).not.toBe((await two.auth.getToken()).value);
    expect(requestsTo(mock, 'token').map(({ clientId }) => clientId)).toEqual(['1001', '2002']);
  });

  it('is not charged again if the state reports late that it has no token', async () => {
    let reply: (token: undefined) => void = () => {};
    const late = new Promise<undefined>((resolve) => {
      reply = resolve;
    });
    const replies: unknown[] = [late];
    const { clock, mock, hub } = stage(
      {},
      { state: { ...methodsOf(memoryState()), get: () => replies.shift() } as never },
    );
    const first = hub.auth.getToken();
    const second = await hub.auth.getToken();
    reply(undefined);
    await clock.advance(1);
    expect(await first).toEqual(second);
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });
});
