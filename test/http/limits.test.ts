import {
  ENDPOINTS,
  type EndpointName,
  type HubClient,
  memoryState,
  RateLimitError,
} from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { fails, forgetful, withCalls } from '../events/support.js';
import { runs, some } from '../runs.js';
import { clientOf, densest, during, requestsTo, settledNow, stage } from '../support.js';

describe('the limits of Spec §8', () => {
  it.each([
    ['polling', (hub: HubClient) => hub.events.poll()],
    ['merchant', (hub: HubClient) => hub.merchant.get({ fresh: true })],
    ['order', (hub: HubClient) => hub.orders.get('x').catch(() => {})],
    ['orderStatus', (hub: HubClient) => hub.orders.confirm('x').catch(() => {})],
    ['token', (hub: HubClient) => hub.auth.renew()],
  ] as [EndpointName, (hub: HubClient) => Promise<unknown>][])(
    'are kept for %s, in sliding windows counted at the hub, with any latency',
    { tags: 'slow' },
    async (endpoint, call) => {
      const { limit, windowMs } = ENDPOINTS[endpoint];
      for (const latencyMs of some([700, 0, 9000], 3)) {
        let draw = 0;
        const { clock, mock, hub } = stage(
          { latencyMs: () => ((draw = (draw * 7919 + 13) % 1000) / 1000) * latencyMs },
          { rateLimit: { maxWaitMs: Number.MAX_SAFE_INTEGER } },
        );
        const calls = limit * runs(3, 1.5) + 1;
        for (let count = 0; count < calls; count += 1) {
          void call(hub).catch(() => {});
          await clock.advance(count % 7 === 0 ? 10 : 0);
        }
        await clock.advance(windowMs * 5);
        const sent = requestsTo(mock, endpoint);
        if (endpoint !== 'merchant' && endpoint !== 'token') expect(sent.length).toBe(calls);
        expect(densest(sent, windowMs)).toBeLessThanOrEqual(limit);
        expect(mock.violations()).toEqual([]);
      }
    },
  );

  it('free a slot one window after the response, and five seconds later if there was none', async () => {
    const { clock, mock, hub } = stage({}, { timeoutMs: 20_000, retry: { attempts: 1 } });
    const token = await hub.auth.getToken();
    expect(token.value).toBeTruthy();
    mock.faults.next('polling', { type: 'latency', ms: 7000 });
    mock.faults.next('polling', 'hang');
    await during(clock, '10s', hub.events.poll());
    const second = hub.events.poll().catch((error: Error) => error.name);
    const third = hub.events.poll();
    const fourth = hub.events.poll();
    await clock.advance('3m');
    expect(await second).toBe('TimeoutError');
    await third;
    await fourth;
    // Response at 7 s → free at 67 s; time-out at 30 s → free at 95 s.
    expect(requestsTo(mock, 'polling').map(({ monotonicAt }) => monotonicAt)).toEqual([
      0, 10_000, 67_000, 95_000,
    ]);
  });

  it('are shared by clients that share a state, at the same time and one after another', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    for (let restart = 0; restart < 5; restart += 1) {
      const pair = [clientOf(mock, { clock, state }).hub, clientOf(mock, { clock, state }).hub];
      for (const hub of pair) void hub.events.poll().catch(() => {});
      await clock.advance('20s');
      for (const hub of pair) await hub.close();
    }
    expect(mock.violations()).toEqual([]);
    expect(densest(requestsTo(mock, 'polling'), 60_000)).toBe(2);
  });

  it('are separate for each store', async () => {
    const { clock, mock, hub } = stage();
    mock.addStore({ clientId: '2002', clientSecret: 'two', apiKey: 'key-two' });
    const other = clientOf(mock, { clock, clientId: '2002', clientSecret: 'two', apiKey: 'key-two' }).hub;
    await Promise.all([hub.events.poll(), hub.events.poll(), other.events.poll(), other.events.poll()]);
    expect(mock.violations()).toEqual([]);
  });

  it('are separate for each API key of a client, which a function may change', async () => {
    let key = 'mock-api-key';
    const { mock, hub } = stage({ limitHeaders: false }, { apiKey: () => key, rateLimit: { mode: 'throw' } });
    mock.addStore({ clientId: '2002', clientSecret: 'two', apiKey: 'key-two' });
    for (let count = 0; count < 11; count += 1) await hub.merchant.get({ fresh: true });
    expect(requestsTo(mock, 'merchant')).toHaveLength(10);
    key = 'key-two';
    expect((await hub.merchant.get({ fresh: true })).stale).toBe(false);
    expect(requestsTo(mock, 'merchant')).toHaveLength(11);
    expect(mock.violations()).toEqual([]);
  });
});

describe('the wait for a slot', () => {
  it('is refused at once if it would be longer than maxWaitMs', async () => {
    const { hub, mock } = stage({}, { rateLimit: { maxWaitMs: 59_999 } });
    await hub.events.poll();
    await hub.events.poll();
    const failure = await hub.events.poll().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RateLimitError);
    expect(failure).toMatchObject({ origin: 'local', retryAfterMs: 60_000, status: 429, attempts: 0 });
    expect(requestsTo(mock, 'polling')).toHaveLength(2);
  });

  it('does not happen in mode throw', async () => {
    const { clock, hub } = stage({}, { rateLimit: { mode: 'throw' } });
    await hub.events.poll();
    await hub.events.poll();
    for (let call = 0; call < 2; call += 1) {
      const outcome = await settledNow(clock, hub.events.poll());
      expect(outcome).toMatchObject({ error: { code: 'rate_limit', origin: 'local' } });
      expect(clock.sleepers).toBe(0);
    }
  });

  it('of thousands of callers is limited and can be aborted, and leaves nothing behind', {
    tags: 'slow',
  }, async () => {
    const { clock, mock, hub } = stage();
    const controller = new AbortController();
    const callers = runs(10_000, 5);
    const outcomes = Array.from({ length: callers }, () =>
      hub.orders.get('x', { signal: controller.signal }).then(
        () => 'found',
        (error: Error) => error.name,
      ),
    );
    await clock.advance('2m');
    const sent = requestsTo(mock, 'order').length;
    expect(sent).toBe(300);
    const before = process.cpuUsage();
    controller.abort(new Error('enough'));
    const names = await Promise.all(outcomes);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
    const count = (name: string) => names.filter((each) => each === name).length;
    // Fifteen minutes of waiting serve the first 1,600; the others were refused at once.
    expect(count('NotFoundError')).toBe(300);
    expect(count('RateLimitError')).toBe(callers - 1600);
    expect(count('Error')).toBe(1300);
    await clock.advance('2m');
    expect(requestsTo(mock, 'order')).toHaveLength(sent);
    expect(clock.sleepers).toBe(0);
  });

  it('ends with the abort of its caller, also if the state call itself led to it', async () => {
    const controller = new AbortController();
    const { hub } = stage(
      {},
      {
        state: withCalls(memoryState(), {
          slot: (next, key) => {
            if (!String(key).endsWith(':polling')) return next();
            controller.abort(new Error('stopped'));
            return { granted: false, waitMs: 1000, reason: 'quota' };
          },
        }),
      },
    );
    await expect(hub.events.poll({ signal: controller.signal })).rejects.toThrow('stopped');
  });

  it('is first come, first served', async () => {
    const { clock, hub } = stage();
    const served: number[] = [];
    for (let caller = 0; caller < 9; caller += 1) void hub.events.poll().then(() => served.push(caller));
    await clock.advance('5m');
    expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe('rateLimits()', () => {
  it('returns the limit, the remaining slots and when the next slot becomes free', async () => {
    const { clock, mock, hub } = stage({ limitHeaders: false });
    expect(hub.rateLimits().polling).toEqual({ limit: 2, remaining: 2, resetAt: clock.now() });
    await hub.events.poll();
    expect(hub.rateLimits().polling).toEqual({ limit: 2, remaining: 1, resetAt: clock.now() + 60_000 });
    await clock.advance('10s');
    await hub.events.poll();
    expect(hub.rateLimits().polling).toEqual({ limit: 2, remaining: 0, resetAt: clock.now() + 50_000 });
    await clock.advance('51s');
    expect(hub.rateLimits().polling.remaining).toBe(1);
    mock.faults.next('order', { type: 'status', status: 429, headers: { 'retry-after': '4000' } });
    await hub.orders.get('x').catch(() => {});
    expect(hub.rateLimits().order.remaining).toBe(0);
    expect(hub.rateLimits().order.resetAt).toBeGreaterThanOrEqual(clock.now() + 4_000_000);
    expect(hub.rateLimits().merchant.remaining).toBe(10);
  });

  it('applies the headers of a hub that counts more requests than we do', async () => {
    const { clock, mock, hub } = stage({ windows: 'fixed' });
    const beside = clientOf(mock, { clock }).hub;
    await clock.advance('5s');
    await beside.events.poll();
    await hub.events.poll();
    const next = hub.events.poll();
    expect(await settledNow(clock, next)).toBe('pending');
    await clock.advance('56s');
    await next;
    expect(mock.violations()).toEqual([]);
  });

  it('is never more than this client has left itself, whatever the hub says, until the reset', async () => {
    const { clock, mock, hub } = stage({ limitHeaders: false });
    const answer = async (headers: Record<string, string>) => {
      mock.faults.next('order', { type: 'status', status: 404, headers });
      await hub.orders.get('x').catch(() => {});
      return hub.rateLimits().order;
    };
    const says = (remaining: number, seconds: number) => ({
      'x-ratelimit-remaining': `${remaining}`,
      'x-ratelimit-reset': `${seconds}`,
    });
    expect((await answer(says(500, 40))).remaining).toBe(99);
    expect((await answer(says(7, 40))).remaining).toBe(7);
    // A response without headers changes nothing.
    expect((await answer({})).remaining).toBe(7);
    expect(await answer(says(0, 40))).toEqual({ limit: 100, remaining: 0, resetAt: clock.now() + 40_000 });
    const sent = requestsTo(mock, 'order').length;
    const next = hub.orders.get('x').catch(() => {});
    await clock.advance(39_999);
    expect(requestsTo(mock, 'order')).toHaveLength(sent);
    await clock.advance(1);
    await next;
    expect(requestsTo(mock, 'order')).toHaveLength(sent + 1);
  });
});

describe('a state', () => {
  it('that is unreachable stops polls and token requests', async () => {
    const { mock, hub } = stage({}, { retry: { attempts: 1 } });
    const { value } = await hub.auth.getToken();
    const away = async () => fails('connection refused');
    const state = withCalls(memoryState(), { slot: away, settle: away, shut: away });
    const { hub: cut } = clientOf(mock, { state });
    await expect(cut.events.poll()).rejects.toMatchObject({ code: 'state' });
    expect(requestsTo(mock, 'polling')).toEqual([]);
    expect(requestsTo(mock, 'token')).toHaveLength(1);
    expect(value).toBeTruthy();
  });

  it('that comes back empty does not grant this process its slots a second time', async () => {
    const { state, forget } = forgetful();
    const { clock, mock, hub } = stage({}, { state });
    for (let second = 0; second < 300; second += 1) {
      forget();
      for (const call of [hub.events.poll(), hub.auth.renew()]) call.catch(() => {});
      await clock.advance('1s');
    }
    expect(densest(requestsTo(mock, 'polling'), 60_000)).toBe(2);
    expect(densest(requestsTo(mock, 'token'), 3_600_000)).toBe(10);
    expect(mock.violations()).toEqual([]);
  });
});
