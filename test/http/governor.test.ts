import fc from 'fast-check';
import {
  ENDPOINTS,
  type EndpointName,
  type HubClient,
  memoryState,
  RateLimitError,
  type State,
} from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../../src/events/event-key.js';
import { Governor } from '../../src/http/governor.js';
import type { Slot } from '../../src/http/lane.js';
import { withCalls } from '../events/support.js';
import { runs, some } from '../runs.js';
import { clientOf, densest, requestsTo, settledNow, stage } from '../support.js';

const FOREVER = { quotaMs: Number.POSITIVE_INFINITY, shutMs: Number.POSITIVE_INFINITY };

describe('the limits of Spec §8', () => {
  it.each([
    ['polling', (hub: HubClient) => hub.events.poll()],
    ['merchant', (hub: HubClient) => hub.merchant.get({ fresh: true })],
    ['order', (hub: HubClient) => hub.orders.get('x').catch(() => {})],
    ['orderStatus', (hub: HubClient) => hub.orders.confirm('x').catch(() => {})],
    ['token', (hub: HubClient) => hub.auth.renew()],
  ] as [EndpointName, (hub: HubClient) => Promise<unknown>][])(
    'are kept for %s, in sliding windows counted at the hub, with any latency',
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
    const first = hub.events.poll();
    await clock.advance('10s');
    await first;
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

  it('of thousands of callers is limited and can be aborted, and leaves nothing behind', async () => {
    const { clock, mock, hub } = stage();
    const controller = new AbortController();
    const callers = runs(10_000, 4);
    const outcomes = Array.from({ length: callers }, () =>
      hub.orders.get('x', { signal: controller.signal }).then(
        () => 'found',
        (error: Error) => error.name,
      ),
    );
    await clock.advance('2m');
    const sent = requestsTo(mock, 'order').length;
    expect(sent).toBe(300);
    controller.abort(new Error('enough'));
    const names = await Promise.all(outcomes);
    const count = (name: string) => names.filter((each) => each === name).length;
    // Fifteen minutes of waiting serve the first 1,700; the others were refused at once.
    expect(count('NotFoundError')).toBe(300);
    expect(count('RateLimitError')).toBe(callers - 1700);
    expect(count('Error')).toBe(1400);
    await clock.advance('2m');
    expect(requestsTo(mock, 'order')).toHaveLength(sent);
    expect(clock.sleepers).toBe(0);
  }, 60_000);

  it('ends with the abort of its caller, also if the state call itself led to it', async () => {
    const caller = new AbortController();
    const state = withCalls(memoryState(), {
      reserve: () => {
        caller.abort('stopped');
        return { granted: false, waitMs: 1000, reason: 'quota' };
      },
    });
    const governor = new Governor({ clock: new ManualClock(), state, timeoutMs: 30_000 });
    await expect(governor.reserve('polling', 's', FOREVER, caller.signal)).rejects.toBe('stopped');
  });

  it('is first come, first served', async () => {
    const clock = new ManualClock();
    const governor = new Governor({ clock, state: memoryState(), timeoutMs: 30_000 });
    const served: number[] = [];
    for (let caller = 0; caller < 9; caller += 1) {
      void Promise.resolve(governor.reserve('polling', 's', FOREVER)).then(async (slot) => {
        served.push(caller);
        await governor.settle(slot, true);
      });
    }
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

  it.each(['-5', 'soon', '99999999', '1767614400000', ''])('ignores a reset of %j', async (reset) => {
    const { mock, hub } = stage({ limitHeaders: false });
    mock.faults.next('order', {
      type: 'status',
      status: 404,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset },
    });
    await hub.orders.get('x').catch(() => {});
    await expect(hub.orders.get('x')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('an unreachable state', () => {
  const broken = (...methods: (keyof State)[]): State => {
    const state = memoryState();
    for (const method of methods) {
      Reflect.set(state, method, () => Promise.reject(new Error(`${method}: connection refused`)));
    }
    return state;
  };

  it('stops polls and token requests', async () => {
    const { mock, hub } = stage({}, { retry: { attempts: 1 } });
    const { value } = await hub.auth.getToken();
    const state = broken('reserve', 'settle', 'shut');
    const { hub: cut } = clientOf(mock, { state });
    await expect(cut.events.poll()).rejects.toMatchObject({ code: 'state' });
    expect(requestsTo(mock, 'polling')).toEqual([]);
    expect(requestsTo(mock, 'token')).toHaveLength(1);
    expect(value).toBeTruthy();
  });

  it('makes the poller wait, which goes on when the state is back', async () => {
    const state = memoryState();
    const { recall, reserve } = state;
    let down = false;
    const cut = <T extends (...parameters: never[]) => unknown>(method: T) =>
      ((...parameters: never[]) => {
        if (down) throw new Error('redis is away');
        return method.apply(state, parameters);
      }) as T;
    Object.assign(state, { recall: cut(recall), reserve: cut(reserve) });
    const { clock, mock, hub } = stage({}, { state });
    const reports: string[] = [];
    let handled = 0;
    const poller = hub.poller();
    poller.on('CREATED', () => void (handled += 1));
    poller.on('error', (error) => void reports.push(error.name));
    poller.on('recovered', () => void reports.push('recovered'));
    await poller.start();
    down = true;
    mock.createOrder();
    const before = requestsTo(mock, 'polling').length;
    await clock.advance('10m');
    expect(requestsTo(mock, 'polling')).toHaveLength(before);
    expect(handled).toBe(0);
    down = false;
    await clock.advance('6m');
    expect(handled).toBe(1);
    expect(mock.pending()).toEqual([]);
    expect(reports.at(-1)).toBe('recovered');
    expect(new Set(reports)).toEqual(new Set(['StateError', 'recovered']));
    await poller.stop();
  });

  it('that cannot store a mark is reported; the event is still acknowledged, and handled only once', async () => {
    const state = memoryState();
    const remember = state.remember.bind(state);
    let down = true;
    state.remember = (...parameters) =>
      down ? Promise.reject(new Error('disk full')) : remember(...parameters);
    const { clock, mock, hub } = stage({}, { state });
    let handled = 0;
    const reports: string[] = [];
    const poller = hub.poller();
    poller.on('CREATED', () => void (handled += 1));
    poller.on('error', (error) => void reports.push(error.name));
    const { event } = mock.createOrder();
    await poller.start();
    await clock.advance('2s');
    expect(mock.acknowledged()).toHaveLength(1);
    expect(reports).toEqual(['StateError']);
    mock.redeliver(event.eventId);
    down = false;
    await clock.advance('65s');
    mock.redeliver(event.eventId);
    await clock.advance('31s');
    expect(handled).toBe(1);
    expect(state.recall('x', [], { handledMs: 1, attemptedMs: 1 }, clock)).toEqual([]);
    await poller.stop();
  });

  it.each([
    ['at the next poll', '31s'],
    ['at stop, if that comes first', '1s'],
  ])('gets the marks that it could not store when it is back: %s', async (_when, wait) => {
    const state = memoryState();
    const remember = state.remember.bind(state);
    const remembered: string[] = [];
    let down = true;
    state.remember = (key, ids, ...rest) => {
      if (down) throw new Error('disk full');
      remembered.push(...ids);
      return remember(key, ids, ...rest);
    };
    const { clock, mock, hub } = stage({}, { state });
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    poller.on('error', () => {});
    const { event } = mock.createOrder();
    await poller.start();
    await clock.advance('2s');
    expect(remembered).toEqual([]);
    down = false;
    await clock.advance(wait);
    if (wait === '1s') await poller.stop();
    expect(remembered).toEqual([keyOf(event)]);
    await poller.stop();
  });

  it('that comes back empty does not grant this process its slots a second time', async () => {
    let memory = memoryState();
    const state = new Proxy({} as State, {
      get: (_target, name: keyof State) => (memory[name] as () => unknown).bind(memory),
    });
    const { clock, mock, hub } = stage({}, { state });
    for (let second = 0; second < 300; second += 1) {
      memory = memoryState();
      for (const call of [hub.events.poll(), hub.auth.renew()]) call.catch(() => {});
      await clock.advance('1s');
    }
    expect(densest(requestsTo(mock, 'polling'), 60_000)).toBe(2);
    expect(densest(requestsTo(mock, 'token'), 3_600_000)).toBe(10);
    expect(mock.violations()).toEqual([]);
  });
});

describe('memoryState', () => {
  it('never grants more slots than the limit, in any order of reserving and settling (model)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ wait: fc.nat(40_000), settle: fc.boolean(), hasResponse: fc.boolean() }), {
          maxLength: 60,
        }),
        async (steps) => {
          const clock = new ManualClock();
          const governor = new Governor({ clock, state: memoryState(), timeoutMs: 30_000 });
          const taken: { slot: Slot; at: number; freeAt: number }[] = [];
          for (const { wait, settle, hasResponse } of steps) {
            await clock.advance(wait);
            const reserve = async () => governor.reserve('polling', 's', { quotaMs: 0, shutMs: 0 });
            const slot = await reserve().catch(() => undefined);
            const now = clock.monotonic();
            const live = taken.filter(({ freeAt }) => freeAt > now).length;
            expect(slot !== undefined).toBe(live < 2);
            if (!slot) continue;
            const entry = { slot, at: now, freeAt: now + 30_000 + 60_000 + 5000 };
            taken.push(entry);
            if (settle) {
              await governor.settle(slot, hasResponse);
              entry.freeAt = now + 60_000 + (hasResponse ? 0 : 5000);
            }
          }
        },
      ),
      { numRuns: runs(60) },
    );
  });
});
