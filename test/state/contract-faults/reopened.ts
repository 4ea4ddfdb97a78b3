import type { State } from 'opendelivery-client';
import { memoryState } from '../../../src/state/memory-state.js';
import { type Break, type Fault, faultsOfSecond, tick } from './fault.js';

/** The second state has a storage of its own for these methods. */
const apart =
  (...names: (keyof State)[]): Break =>
  () => {
    const own = memoryState();
    return Object.fromEntries(names.map((name) => [name, (own[name] as () => unknown).bind(own)]));
  };

/** The second state reads each key once. */
const caching: Break = (state) => {
  const values = new Map<string, string | undefined>();
  return {
    get: async (key, clock) => {
      if (!values.has(key)) values.set(key, await state.get(key, clock));
      return values.get(key);
    },
  };
};

export const REOPEN_FAULTS: readonly Fault[] = [
  ...faultsOfSecond('two states: values are shared, and visible at once', {
    'the second one is empty': apart('get', 'set'),
    'the second one does not write': apart('set'),
    'the second one keeps what it has read': caching,
  }),
  ...faultsOfSecond('two states: comparing with ifEquals and writing are one step', {
    'the second one writes later than it compares': (state) => ({
      set: async (key, value, { forMs, ifEquals }, clock) => {
        if (ifEquals !== undefined && (await state.get(key, clock)) !== ifEquals) return;
        if (ifEquals !== undefined) await tick();
        await state.set(key, value, { forMs }, clock);
      },
    }),
  }),
  ...faultsOfSecond('two states: slots and shuts are shared', {
    'the second one has its own slots': apart('reserve', 'settle'),
    'the second one does not settle slots of the first': apart('settle'),
    'a shut counts in one state': (state) => ({
      reserve: async (key, request, clock) => {
        const result = await state.reserve(key, request, clock);
        const isShut = !result.granted && result.reason === 'shut';
        return isShut ? { granted: true, id: 'not shut', remaining: 0 } : result;
      },
    }),
  }),
  ...faultsOfSecond('two states: ids of slots are different', {
    'each state counts its own ids': (state) => {
      const inner = new Map<string, string>();
      return {
        reserve: async (key, request, clock) => {
          const result = await state.reserve(key, request, clock);
          if (!result.granted) return result;
          const id = String(inner.size + 1);
          inner.set(id, result.id);
          return { ...result, id };
        },
        settle: (key, change, clock) =>
          state.settle(key, { ...change, id: inner.get(change.id ?? '') }, clock),
      };
    },
  }),
  ...faultsOfSecond('two states: requests at the same time never exceed the limit', {
    'the second one takes the slot later than it counts': (state) => {
      let taken = 0;
      return {
        reserve: async (key, request, clock) => {
          if (taken >= request.limit) return { granted: false, waitMs: 1000, reason: 'quota' };
          taken += 1;
          return state.reserve(key, { ...request, limit: 100 }, clock);
        },
      };
    },
  }),
  ...faultsOfSecond('two states: leases and fences are shared', {
    'the second one has its own leases': apart('lease', 'reserve'),
    'the second one gives new fences': (state) => ({
      lease: async (key, request, clock) => {
        const lease = await state.lease(key, request, clock);
        return lease.granted ? { ...lease, fence: lease.fence + 1 } : lease;
      },
    }),
    'the second one releases nothing': (state) => ({
      lease: (key, request, clock) =>
        request.leaseMs > 0 ? state.lease(key, request, clock) : { granted: true, fence: 1 },
    }),
  }),
  ...faultsOfSecond('two states: one of many that ask for a lease at the same time gets it', {
    'the second one has its own leases': apart('lease'),
  }),
  ...faultsOfSecond('two states: marks are shared, and visible at once', {
    'the second one has its own marks': apart('recall', 'mark'),
    'the second one does not mark': apart('mark'),
    'the second one keeps what it has recalled': (state) => {
      const known = new Map<string, Awaited<ReturnType<State['recall']>>>();
      return {
        recall: async (key, ids, request, clock) => {
          const found = known.get(ids.join()) ?? (await state.recall(key, ids, request, clock));
          known.set(ids.join(), found);
          return found;
        },
      };
    },
  }),
  ...faultsOfSecond('two states: recalls at the same time count one by one', {
    'the second one counts later than it reads': (state) => ({
      recall: async (key, ids, { count, ...request }, clock) => {
        const found = await state.recall(key, ids, request, clock);
        await tick();
        if (count) await state.recall(key, ids, { ...request, count }, clock);
        return found;
      },
    }),
  }),
];
