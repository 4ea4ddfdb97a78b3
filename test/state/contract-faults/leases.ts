import type { Clock, LeaseRequest, State } from 'opendelivery-client';
import { type Break, type Fault, faultsOf, tick } from './fault.js';

const leases =
  (
    lease: (state: State, key: string, request: LeaseRequest, clock: Clock) => ReturnType<State['lease']>,
  ): Break =>
  (state) => ({ lease: (key, request, clock) => lease(state, key, request, clock) });

const durations = (change: (leaseMs: number) => number): Break =>
  leases((state, key, request, clock) =>
    state.lease(key, { ...request, leaseMs: request.leaseMs && change(request.leaseMs) }, clock),
  );

/** Replaces the fence of each granted lease. */
const fences =
  (replace: (fence: number, holder: string, clock: Clock) => number): Break =>
  (state) => ({
    lease: async (key, request, clock) => {
      const lease = await state.lease(key, request, clock);
      return lease.granted ? { ...lease, fence: replace(lease.fence, request.holder, clock) } : lease;
    },
  });

const reserves =
  (
    reserve: (state: State, ...parameters: Parameters<State['reserve']>) => ReturnType<State['reserve']>,
  ): Break =>
  (state) => ({ reserve: (...parameters) => reserve(state, ...parameters) });

export const LEASE_FAULTS: readonly Fault[] = [
  ...faultsOf('lease: it has one holder, who renews it; others are refused', {
    'everybody gets it': leases((state, key, request, clock) =>
      state.lease(`${key} ${request.holder}`, request, clock),
    ),
    'each renewal has another fence': () => {
      let fence = Date.now() * 10;
      return { lease: () => ({ granted: true, fence: (fence += 1) }) };
    },
    'fences begin at 1': fences((fence) => (fence % 1000) + 1),
    'fences have fractions': fences((fence) => fence + 0.5),
    'fences are strings': fences((fence) => String(fence) as never),
    'the first lease is refused': (state) => {
      let calls = 0;
      return {
        lease: (key, request, clock) =>
          (calls += 1) === 1 ? { granted: false, waitMs: 1000 } : state.lease(key, request, clock),
      };
    },
    'all keys have one lease': leases((state, _key, request, clock) => state.lease('quota', request, clock)),
    'waitMs is missing': leases(async (state, key, request, clock) => {
      const lease = await state.lease(key, request, clock);
      return lease.granted ? lease : ({ granted: false } as never);
    }),
  }),
  ...faultsOf('lease: a renewal ends leaseMs after it', {
    'it never ends earlier than before': (state) => {
      let longest = 0;
      return durations((leaseMs) => (longest = Math.max(longest, leaseMs)))(state);
    },
    'it is no renewal': (state) => {
      let first = 0;
      return durations((leaseMs) => (first ||= leaseMs))(state);
    },
  }),
  ...faultsOf('lease: it ends after leaseMs; the next holder gets a greater fence', {
    'it ends 1 ms too late': durations((leaseMs) => leaseMs + 1),
    'it ends 1 ms too early': durations((leaseMs) => leaseMs - 1),
    'the fence never changes': fences(() => 2e12),
    'the first holder takes it back': (state) => ({
      lease: async (key, request, clock) => {
        const lease = await state.lease(key, request, clock);
        return request.holder === 'a' && !lease.granted ? { granted: true, fence: 2e12 } : lease;
      },
    }),
  }),
  ...faultsOf('lease: its last holder gets it again with the same fence after it has ended', {
    'after its end, each lease has a new fence': (state) => {
      let end = 0;
      return {
        lease: async (key, request, clock) => {
          if (clock.monotonic() >= end) await state.lease(key, { ...request, leaseMs: 0 }, clock);
          end = clock.monotonic() + request.leaseMs;
          await tick();
          const lease = await state.lease(key, request, clock);
          return lease;
        },
      };
    },
    'a release by anybody forgets the last holder': leases(async (state, key, request, clock) => {
      if (request.leaseMs > 0) return state.lease(key, request, clock);
      await state.lease(key, { ...request, leaseMs: 1 }, clock);
      return state.lease(key, request, clock);
    }),
    'the last holder has it for ever': leases((state, key, request, clock) =>
      state.lease(key === 'quota' && request.holder === 'b' ? 'b' : key, request, clock),
    ),
  }),
  ...faultsOf('lease: a leaseMs of 0 by the holder ends the lease at once', {
    'it does nothing': (state) => ({
      lease: (key, request, clock) =>
        request.leaseMs > 0 ? state.lease(key, request, clock) : { granted: true, fence: 1 },
    }),
    'the next lease of the same holder has the same fence': (state) => {
      const known = new Map<string, number>();
      return {
        lease: async (key, request, clock) => {
          const lease = await state.lease(key, request, clock);
          if (!lease.granted) return lease;
          const fence = known.get(request.holder) ?? lease.fence;
          known.set(request.holder, fence);
          return { granted: true, fence };
        },
      };
    },
    'the next holder has the same fence': fences(() => 2e12),
  }),
  ...faultsOf('lease: a leaseMs of 0 by another holder does nothing', {
    'anybody ends it': (state) => {
      let holder = '';
      return {
        lease: async (key, request, clock) => {
          if (request.leaseMs === 0) return state.lease(key, { holder, leaseMs: 0 }, clock);
          const lease = await state.lease(key, request, clock);
          if (lease.granted) holder = request.holder;
          return lease;
        },
      };
    },
    'a release takes the lease for a moment': leases((state, key, request, clock) =>
      state.lease(key, { ...request, leaseMs: request.leaseMs || 1000 }, clock),
    ),
    'a release of nothing fails': leases(async (state, key, request, clock) => {
      if (request.leaseMs === 0 && key !== 'quota') throw new Error('no lease');
      return state.lease(key, request, clock);
    }),
  }),
  ...faultsOf('lease: fences grow with each new holder', {
    'they start again after ten': (state) => {
      let count = 0;
      return fences((fence) => fence - (fence % 1000) + ((count += 1) % 10))(state);
    },
    'each holder has its own': fences((_fence, holder) => 2e12 + Number(holder.at(-1))),
  }),
  ...faultsOf('lease: one of many that ask at the same time gets it', {
    'it is written later than it is read': (state) => {
      let holder: string | undefined;
      return {
        lease: async (key, request, clock) => {
          const isFree = holder === undefined || holder === request.holder;
          await tick();
          if (!isFree) return { granted: false, waitMs: 1000 };
          holder = request.holder;
          return state.lease(`${key} ${holder}`, request, clock);
        },
      };
    },
  }),
  ...faultsOf('reserve: with a lease, it acquires the lease in the same step', {
    'the lease is ignored': reserves((state, key, { lease: _ignored, ...request }, clock) =>
      state.reserve(key, request, clock),
    ),
    'the fence is missing': reserves(async (state, ...parameters) => {
      const { fence: _ignored, ...result } = await state.reserve(...parameters);
      return result;
    }),
    'a refusal for the lease takes a slot': reserves(async (state, key, request, clock) => {
      const result = await state.reserve(key, request, clock);
      if (!result.granted) await state.settle(key, { id: 'taken', freeInMs: 1000 }, clock);
      return result;
    }),
    'a refusal for the lease has a fence': reserves(async (state, ...parameters) => {
      const result = await state.reserve(...parameters);
      return result.granted ? result : { ...result, fence: 2e12 };
    }),
    'each slot has another fence': (state) => {
      let fence = 0;
      return reserves(async (_state, ...parameters) => {
        const result = await state.reserve(...parameters);
        fence ||= result.fence ?? 0;
        return result.granted ? { ...result, fence: (fence += 1) - 1 } : result;
      })(state);
    },
  }),
  ...faultsOf('reserve: it renews the lease, also if it grants no slot', {
    'it renews only with a slot': reserves(async (state, key, request, clock) => {
      const { lease, ...slot } = request;
      const result = await state.reserve(key, slot, clock);
      if (!lease) return result;
      const renewed = await state.lease(key, result.granted ? lease : { ...lease, leaseMs: 5000 }, clock);
      return renewed.granted ? { ...result, fence: renewed.fence } : result;
    }),
    'it renews never': reserves(async (state, key, { lease, ...slot }, clock) => {
      const result = await state.reserve(key, slot, clock);
      const renewed = lease && (await state.lease(key, { ...lease, leaseMs: 5000 }, clock));
      return renewed?.granted ? { ...result, fence: renewed.fence } : result;
    }),
    'it does not renew while the key is shut': reserves(async (state, key, request, clock) => {
      const result = await state.reserve(key, request, clock);
      if (!result.granted && result.reason === 'shut' && request.lease)
        await state.lease(key, { ...request.lease, leaseMs: 5000 }, clock);
      return result;
    }),
    'a refusal has no fence': reserves(async (state, ...parameters) => {
      const result = await state.reserve(...parameters);
      const { fence: _ignored, ...refusal } = result;
      return result.granted ? result : refusal;
    }),
  }),
  ...faultsOf('reserve: a refusal for the lease does not change the lease', {
    'it ends the lease': reserves(async (state, key, request, clock) => {
      const result = await state.reserve(key, request, clock);
      if (!result.granted) await state.lease(key, { holder: 'a', leaseMs: 0 }, clock);
      return result;
    }),
    'it takes the lease': reserves(async (state, key, request, clock) => {
      const result = await state.reserve(key, request, clock);
      if (result.granted || !request.lease) return result;
      await state.lease(key, { holder: 'a', leaseMs: 0 }, clock);
      await state.lease(key, request.lease, clock);
      return result;
    }),
    'it gives a new holder the fence of the last one': (state) => {
      let known: number | undefined;
      return {
        lease: async (...parameters) => {
          const lease = await state.lease(...parameters);
          if (lease.granted) known ??= lease.fence;
          return lease;
        },
        reserve: async (...parameters) => ({ ...(await state.reserve(...parameters)), fence: known ?? 1 }),
      };
    },
  }),
  ...faultsOf('reserve: one of many that ask for the lease at the same time gets slots', {
    'the lease is written later than it is read': (state) => {
      let holder: string | undefined;
      return {
        reserve: async (key, { lease, ...request }, clock) => {
          const isFree = holder === undefined || holder === lease?.holder;
          await tick();
          if (!isFree) return { granted: false, waitMs: 1000, reason: 'leased' };
          holder = lease?.holder;
          return state.reserve(key, request, clock);
        },
      };
    },
  }),
];
