import { memoryState, type State } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ENDPOINTS } from '../../src/hub/endpoints.js';
import { Quotas } from '../../src/quota/quotas.js';
import { guardState } from '../../src/state/guard.js';
import { STATE_METHODS } from '../../src/state/port.js';
import { clientOf, logged, requestsTo, settledNow, stage } from '../support.js';
import { NOT_RENEWED } from './calls.js';

/** A promise whose rejection is checked later. */
function awaited<T>(result: T | Promise<T>): Promise<T> {
  const promise = Promise.resolve(result);
  promise.catch(() => {});
  return promise;
}

describe('a state that never replies', () => {
  /** Never replies until `release` is called; then it runs all calls in their order. */
  function frozen(state: State): { state: State; release: () => Promise<void> } {
    const waiting: (() => void)[] = [];
    const wait =
      (name: keyof State) =>
      (...parameters: never[]) =>
        new Promise((resolve) => {
          waiting.push(() => resolve(Reflect.apply(state[name], state, parameters)));
        });
    return {
      state: Object.fromEntries(STATE_METHODS.map((name) => [name, wait(name)])) as unknown as State,
      async release() {
        for (const reply of waiting.splice(0)) reply();
        await new Promise(setImmediate);
      },
    };
  }

  const CALLS: { readonly [Name in keyof State]: (state: State, clock: ManualClock) => unknown } = {
    get: (state, clock) => state.get('k', clock),
    set: (state, clock) => state.set('k', 'v', { forMs: 1000 }, clock),
    reserve: (state, clock) => state.reserve('k', { limit: 1, holdMs: 1000 }, clock),
    settle: (state, clock) => state.settle('k', { id: 'id', freeInMs: 0 }, clock),
    lease: (state, clock) => state.lease('k', { holder: 'h', leaseMs: 1000 }, clock),
    recall: (state, clock) => state.recall('k', ['id'], NOT_RENEWED, clock),
    mark: (state, clock) => state.mark('k', ['id'], { handled: true, forMs: 1000 }, clock),
  };

  it.each(STATE_METHODS)(
    'is given five seconds by %s, then one second, and no timer remains',
    async (name) => {
      const clock = new ManualClock();
      const state = guardState(frozen(memoryState()).state);
      const first = awaited(CALLS[name](state, clock));
      await clock.advance(4999);
      expect(await settledNow(clock, first)).toBe('pending');
      await clock.advance(1);
      expect(await settledNow(clock, first)).toMatchObject({
        error: {
          code: 'state',
          message: `the state did not answer ${name}() within 5000 ms; check that its database or disk works and that this machine can reach it`,
        },
      });
      const second = awaited(CALLS[name](state, clock));
      await clock.advance(1000);
      expect(await settledNow(clock, second)).toMatchObject({ error: { code: 'state' } });
      expect(clock.sleepers).toBe(0);
    },
  );

  it('gets back a slot that it grants after the time-out', async () => {
    const clock = new ManualClock();
    const inner = memoryState();
    const { state, release } = frozen(inner);
    const settled: unknown[] = [];
    const guarded = guardState({
      ...state,
      settle: (...parameters) => {
        settled.push(parameters.slice(0, 2));
        return inner.settle(...parameters);
      },
    });
    const request = { limit: 1, holdMs: 90_000 };
    const refused = awaited(guarded.reserve('q', request, clock));
    await clock.advance('5s');
    expect(await settledNow(clock, refused)).toMatchObject({ error: { code: 'state' } });
    await release();
    expect(settled).toEqual([['q', { id: '1', freeInMs: 0 }]]);
    expect(inner.reserve('q', request, clock)).toMatchObject({ granted: true });
  });

  it('blocks no call: polls are refused, and other requests are counted by the client alone', async () => {
    const clock = new ManualClock();
    const state = guardState(frozen(memoryState()).state);
    const quotas = new Quotas({ endpoints: ENDPOINTS, clock, state });
    const holder = { scope: 's', windows: undefined };
    const limits = { patience: { quotaMs: 60_000, shutMs: 0 }, timeoutMs: 30_000 };
    const poll = awaited(quotas.reserve(holder, { endpoint: 'polling', needsState: true, ...limits }));
    const orders = Array.from({ length: 3 }, () =>
      awaited(quotas.reserve(holder, { endpoint: 'order', ...limits })),
    );
    await clock.advance('5s');
    expect(await settledNow(clock, poll)).toMatchObject({ error: { code: 'state' } });
    await clock.advance('2s');
    for (const order of orders)
      expect(await settledNow(clock, order)).toMatchObject({
        value: { isLocal: true },
      });
    expect(clock.sleepers).toBe(0);
  });
});

describe('a state that fails', () => {
  function failing(state: State, isDown: (name: keyof State) => boolean): State {
    const method =
      (name: keyof State) =>
      (...parameters: never[]) => {
        if (isDown(name)) throw new Error(`${name}: connection refused`);
        return Reflect.apply(state[name], state, parameters);
      };
    return Object.fromEntries(STATE_METHODS.map((name) => [name, method(name)])) as unknown as State;
  }

  it('is logged once when it fails and once when it works again, for each outage', async () => {
    let down = false;
    const { lines, logger } = logged();
    const { clock, mock, hub } = stage(
      { unansweredAfterMs: Number.POSITIVE_INFINITY },
      { state: failing(memoryState(), () => down), logger },
    );
    let handled = 0;
    const poller = hub.poller().on('CREATED', () => void (handled += 1));
    poller.on('error', () => {});
    await poller.start();
    for (let outage = 0; outage < 3; outage += 1) {
      down = true;
      mock.createOrder();
      await clock.advance('20m');
      down = false;
      await clock.advance('20m');
    }
    await poller.stop();
    expect(handled).toBe(3);
    expect(mock.violations()).toEqual([]);
    expect(lines.map((line) => line.slice(0, 40))).toEqual(
      Array.from({ length: 3 }, () => [
        'warn: opendelivery-client: the state is ',
        'info: opendelivery-client: the state is ',
      ]).flat(),
    );
  });

  /** A poller, and its state with calls that take some time. */
  async function slowly(isDown: (name: keyof State) => boolean = () => false) {
    const clock = new ManualClock();
    const delay = { ms: 0 };
    const inner = failing(memoryState(), isDown);
    const state = Object.fromEntries(
      STATE_METHODS.map((name) => [
        name,
        (...parameters: never[]) => {
          const call = () => Reflect.apply(inner[name], inner, parameters) as unknown;
          return delay.ms > 0 ? clock.sleep(delay.ms).finally(clock.park()).then(call) : call();
        },
      ]),
    ) as unknown as State;
    const { lines, logger } = logged();
    const { mock, hub } = stage({ clock }, { clock, state, logger });
    // Before the client is closed.
    onTestFinished(() => void (delay.ms = 0));
    const poller = hub.poller().on('CREATED', () => {});
    void poller.on('error', () => {}).start();
    await clock.advance('1s');
    const pollsIn = async (time: '5m' | '10m') => {
      const before = requestsTo(mock, 'polling').length;
      await clock.advance(time);
      return requestsTo(mock, 'polling').length - before;
    };
    return { clock, hub, delay, lines, pollsIn };
  }

  it('that answers in 1.5 s is waited for, although a call for something else has failed', async () => {
    let isDown = false;
    const { clock, hub, delay, pollsIn } = await slowly((name) => isDown && name === 'get');
    delay.ms = 1500;
    isDown = true;
    hub.merchant.get().catch(() => {});
    await clock.advance('10s');
    isDown = false;
    expect(await pollsIn('5m')).toBeGreaterThanOrEqual(9);
  });

  it('that answers too late again and again is logged once, until it answers in time', async () => {
    const { delay, lines, pollsIn } = await slowly();
    delay.ms = 6500;
    expect(await pollsIn('10m')).toBe(0);
    expect(lines).toEqual([expect.stringMatching(/^warn: .* the state is unavailable/)]);
    delay.ms = 0;
    expect(await pollsIn('10m')).toBeGreaterThan(18);
    expect(lines.slice(1)).toEqual([expect.stringMatching(/^info: .* available again/)]);
  });

  it.each([
    ['', () => true],
    [', as for polls that found events which it could not mark', (name: keyof State) => name === 'recall'],
  ])(
    'is polled for within an interval when it works again, however long it was away%s',
    async (_how, isOf) => {
      let down = false;
      const { clock, mock, hub } = stage(
        { unansweredAfterMs: Number.POSITIVE_INFINITY },
        { state: failing(memoryState(), (name) => down && isOf(name)) },
      );
      const delays = new Set<number>();
      const poller = hub.poller().on('CREATED', () => {});
      poller.on('error', () => {}).on('backoff', ({ delayMs }) => void delays.add(delayMs));
      await poller.start();
      down = true;
      mock.createOrder();
      await clock.advance('20m');
      down = false;
      await clock.advance('31s');
      expect(mock.acknowledged()).toHaveLength(1);
      expect([...delays]).toEqual([30_000]);
      expect(mock.violations()).toEqual([]);
      await poller.stop();
    },
  );

  it('leaves no error in the health of a poller on standby, nor of the one that polls', async () => {
    let down = false;
    const state = failing(memoryState(), () => down);
    const { clock, mock, hub } = stage({}, { state });
    const pollers = [hub, clientOf(mock, { clock, state }).hub].map((each) =>
      each
        .poller()
        .on('CREATED', () => {})
        .on('error', () => {}),
    );
    for (const poller of pollers) void poller.start();
    await clock.advance('1m');
    down = true;
    await clock.advance('5m');
    down = false;
    await clock.advance('5m');
    const healths = pollers.map((poller) => poller.health());
    expect(healths.map(({ status }) => status).sort()).toEqual(['running', 'standby']);
    for (const health of healths) {
      expect(health.lastError).toBeUndefined();
      expect(health.consecutiveFailures).toBe(0);
    }
    await Promise.all(pollers.map((poller) => poller.stop()));
  });

  it('is available again when it writes, although the lease that failed is not asked for again', async () => {
    const clock = new ManualClock();
    const { lines, logger } = logged();
    let down: (name: keyof State) => boolean = (name) => name === 'lease';
    const state = guardState(
      failing(memoryState(), (name) => down(name)),
      logger,
    );
    const outage = () => {
      expect(() => state.reserve('k', { limit: 9, holdMs: 1 }, clock)).toThrow('refused');
    };
    expect(() => state.lease('k', { holder: 'h', leaseMs: 1000 }, clock)).toThrow('refused');
    down = () => false;
    await clock.advance('6m');
    await state.reserve('k', { limit: 9, holdMs: 1 }, clock);
    expect(lines).toHaveLength(2);
    down = () => true;
    outage();
    outage();
    expect(lines).toHaveLength(3);
  });

  it('is logged once although what it is asked for most works', async () => {
    const clock = new ManualClock();
    const { lines, logger } = logged();
    const state = guardState(
      failing(memoryState(), (name) => name === 'lease'),
      logger,
    );
    for (let minute = 0; minute < 60; minute += 1) {
      expect(() => state.lease('k', { holder: 'h', leaseMs: 1000 }, clock)).toThrow('refused');
      await state.set('v', 'value', { forMs: 1000 }, clock);
      await clock.advance('1m');
    }
    expect(lines).toHaveLength(1);
  });

  const counting = { ...NOT_RENEWED, count: { ids: ['a'], below: 1 } };

  it.each<[string, (state: State, clock: ManualClock) => unknown]>([
    ['writes', (state, clock) => state.mark('k', ['a'], { handled: true, forMs: 1000 }, clock)],
    ['recalls and counts', (state, clock) => state.recall('k', ['a'], counting, clock)],
  ])('when it %s is not available again because it can be read', async (_what, write) => {
    const clock = new ManualClock();
    const { lines, logger } = logged();
    const own = memoryState();
    const link = { isFull: true };
    const state = guardState(
      {
        ...failing(own, (name) => link.isFull && name !== 'get'),
        recall: (key, ids, request, at) => {
          if (link.isFull && request.count) throw new Error('no space');
          return own.recall(key, ids, request, at);
        },
      },
      logger,
    );
    for (let round = 0; round < 5; round += 1) {
      expect(state.recall('k', ['a'], NOT_RENEWED, clock)).toEqual([{ handled: false, attempts: 0 }]);
      expect(() => write(state, clock)).toThrow(/connection refused|no space/);
    }
    link.isFull = false;
    await write(state, clock);
    expect(lines).toHaveLength(2);
  });
});
