import type { Clock } from 'opendelivery-client';
import { type Break, type Fault, faultsOf, withClock } from './fault.js';

/** Replaces all durations of all calls. */
const durations =
  (change: (ms: number) => number): Break =>
  (state) => {
    const changed = <T extends object>(request: T): T =>
      Object.fromEntries(
        Object.entries(request).map(([name, value]) => {
          if (typeof value === 'number' && name.endsWith('Ms')) return [name, change(value)];
          return [name, name === 'lease' && value ? changed(value as object) : value];
        }),
      ) as T;
    return {
      set: (key, value, options, clock) => state.set(key, value, changed(options), clock),
      reserve: (key, request, clock) => state.reserve(key, changed(request), clock),
      settle: (key, change, clock) => state.settle(key, changed(change), clock),
      lease: (key, request, clock) => state.lease(key, changed(request), clock),
      recall: (key, ids, request, clock) => state.recall(key, ids, changed(request), clock),
      mark: (key, ids, change, clock) => state.mark(key, ids, changed(change), clock),
    };
  };

/** A state whose instants follow a clock that can be set back. */
const byWallClock = withClock((clock) => ({ ...methodsOf(clock), monotonic: () => clock.now() }));

const methodsOf = (clock: Clock): Clock => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  sleep: (ms, signal) => clock.sleep(ms, signal),
});

export const CLOCK_FAULTS: readonly Fault[] = [
  ...faultsOf('all methods: durations may have fractions', {
    'fractions are an error': durations((ms) => {
      if (!Number.isInteger(ms)) throw new Error('invalid input syntax for type bigint');
      return ms;
    }),
  }),
  ...faultsOf('all methods: durations may be months', {
    'durations have 32 bits': durations((ms) => (Number.isInteger(ms) ? ms | 0 : ms)),
  }),
  ...faultsOf('all methods: durations may be ten years', {
    'the longest duration is a year': durations((ms) => Math.min(ms, 365 * 86_400_000)),
  }),
  ...faultsOf('all methods: fractions of a millisecond are rounded up', {
    'they are rounded down': durations(Math.floor),
    'they are rounded up twice': durations((ms) => (Number.isInteger(ms) ? ms : Math.ceil(ms) + 1)),
    'only values are rounded down': (state) => ({ set: durations(Math.floor)(state).set as never }),
    'only slots are rounded down': (state) => ({ reserve: durations(Math.floor)(state).reserve as never }),
    'only settle rounds down': (state) => ({ settle: durations(Math.floor)(state).settle as never }),
    'only marks are rounded down': (state) => ({ mark: durations(Math.floor)(state).mark as never }),
  }),
  ...faultsOf('lease: a clock that is set back keeps no lease for longer', {
    'it measures with a clock that can be set back': byWallClock,
  }),
  ...faultsOf('lease: fences grow, also if the clock is set back', {
    'a fence is the time': (state) => ({
      lease: async (key, request, clock) => {
        const lease = await state.lease(key, request, clock);
        return lease.granted ? { ...lease, fence: clock.now() } : lease;
      },
    }),
  }),
  ...faultsOf('reserve: a clock that is set back keeps no slot taken for longer', {
    'it measures with a clock that can be set back': byWallClock,
  }),
  ...faultsOf('reserve: a clock that is set back frees no slot earlier', {
    'a slot lasts at most as long as the next request asks': (state) => ({
      reserve: async (key, request, clock) => {
        const result = await state.reserve(key, request, clock);
        return result.granted ? result : { ...result, waitMs: Math.min(result.waitMs, request.holdMs) };
      },
    }),
  }),
  ...faultsOf('settle: a clock that is set back keeps no key shut for longer', {
    'it measures with a clock that can be set back': byWallClock,
  }),
  ...faultsOf('settle: a shut counts, however long an earlier one seems to last', {
    'it measures with a clock that can be set back': byWallClock,
  }),
  ...faultsOf('get and recall: a clock that is set back loses nothing', {
    'what is further away than before has expired': (state) => {
      let startedAt: number | undefined;
      return withClock((clock) => {
        startedAt ??= clock.now();
        const since = startedAt;
        return { ...methodsOf(clock), monotonic: () => Math.abs(clock.now() - since) };
      })(state);
    },
  }),
];
