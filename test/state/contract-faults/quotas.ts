import { type Fault, faultsOf, tick } from './fault.js';
import { remembering, requests, reserves, settles } from './quota-breaks.js';

export const QUOTA_FAULTS: readonly Fault[] = [
  ...faultsOf('reserve: it grants slots up to the limit, and then refuses', {
    'it grants one more than the limit': requests((request) => ({ ...request, limit: request.limit + 1 })),
    'remaining counts the granted slot too': reserves(async (state, key, request, clock) => {
      const result = await state.reserve(key, request, clock);
      return result.granted ? { ...result, remaining: result.remaining + 1 } : result;
    }),
    'waitMs is that of the last slot': reserves(async (state, key, request, clock) => {
      const result = await state.reserve(key, request, clock);
      return result.granted ? result : { ...result, waitMs: request.holdMs };
    }),
    'all keys share their slots': (state) => ({
      reserve: (_key, request, clock) => state.reserve('quota', request, clock),
    }),
    'ids are numbers': reserves(async (state, key, request, clock) => {
      const result = await state.reserve(key, request, clock);
      return result.granted ? { ...result, id: Number(result.id) as never } : result;
    }),
  }),
  ...faultsOf('reserve: a refused request takes no slot', {
    'each refusal takes a slot': reserves(async (state, key, request, clock) => {
      const result = await state.reserve(key, request, clock);
      if (!result.granted) await state.settle(key, { id: `${Math.random()}`, freeInMs: 60_000 }, clock);
      return result;
    }),
  }),
  ...faultsOf('reserve: requests at the same time never exceed the limit', {
    'it takes the slot later than it counts': (state) => {
      let taken = 0;
      return {
        reserve: async (key, request, clock) => {
          const before = taken;
          await tick();
          if (before >= request.limit) return { granted: false, waitMs: 1000, reason: 'quota' };
          taken = before + 1;
          return state.reserve(key, { ...request, limit: 100 }, clock);
        },
      };
    },
    'slots of the same moment have one id': reserves(async (state, key, request, clock) => {
      const result = await state.reserve(key, request, clock);
      return result.granted ? { ...result, id: String(clock.now()) } : result;
    }),
  }),
  ...faultsOf('reserve: an id is never used again', {
    'the id is the number of the slot': (state) => {
      let present = '';
      return {
        reserve: async (key, request, clock) => {
          const result = await state.reserve(key, request, clock);
          if (!result.granted) return result;
          present = result.id;
          return { ...result, id: String(result.remaining) };
        },
        settle: (key, change, clock) => state.settle(key, { ...change, id: present }, clock),
      };
    },
  }),
  ...faultsOf('reserve: each request has its own limit', {
    'the first limit of a key stays': (state) => {
      let limit: number | undefined;
      return {
        reserve: (key, request, clock) =>
          state.reserve(key, { ...request, limit: (limit ??= request.limit) }, clock),
      };
    },
    'more slots than the limit count as none': (state) => {
      let taken = 0;
      return {
        reserve: async (key, request, clock) => {
          if (taken > request.limit) return { granted: true, id: 'one more', remaining: 0 };
          const result = await state.reserve(key, request, clock);
          taken += result.granted ? 1 : 0;
          return result;
        },
      };
    },
  }),
  ...faultsOf('reserve: a slot that is never settled frees after holdMs, and not before', {
    'a slot is held 1 ms too long': requests((request) => ({ ...request, holdMs: request.holdMs + 1 })),
    'a slot is held 1 ms too short': requests((request) => ({ ...request, holdMs: request.holdMs - 1 })),
    'a slot is held for ever': requests((request) => ({ ...request, holdMs: 86_400_000 })),
  }),
  ...faultsOf('settle: freeInMs replaces the instant at which the slot frees', {
    'freeInMs is ignored': settles(({ freeInMs: _ignored, ...others }) => ({ ...others, id: undefined })),
    'a slot can only end earlier': (state) => {
      const { ends, reserve } = remembering(state);
      return {
        reserve,
        settle: (key, { id = '', freeInMs = 0 }, clock) => {
          const end = Math.min(ends.get(id) ?? 0, clock.monotonic() + freeInMs);
          ends.set(id, end);
          return state.settle(key, { id, freeInMs: end - clock.monotonic() }, clock);
        },
      };
    },
    'each settle takes another slot': settles((change) => ({
      ...change,
      id: `${change.id} ${Math.random()}`,
    })),
  }),
  ...faultsOf('settle: the slot frees as soon as freeInMs has passed, and not before', {
    'it frees 1 ms too late': settles(({ freeInMs = 0, ...others }) => ({
      ...others,
      freeInMs: freeInMs + 1,
    })),
    'it frees 1 ms too early': settles(({ freeInMs = 0, ...others }) => ({
      ...others,
      freeInMs: freeInMs - 1,
    })),
  }),
  ...faultsOf('settle: freeInMs of 0 or less frees the slot at once, and only this one', {
    'it frees nothing': (state) => ({
      settle: (key, change, clock) =>
        (change.freeInMs ?? 0) > 0 ? state.settle(key, change, clock) : undefined,
    }),
    'less than 0 does nothing': (state) => ({
      settle: (key, change, clock) =>
        (change.freeInMs ?? 0) < 0 ? undefined : state.settle(key, change, clock),
    }),
    'it frees all slots': (state) => {
      const { ends, reserve } = remembering(state);
      return {
        reserve,
        settle: async (key, { freeInMs = 0 }, clock) => {
          for (const id of ends.keys()) await state.settle(key, { id, freeInMs }, clock);
        },
      };
    },
    'it finds the id in every key': (state) => ({
      settle: (_key, change, clock) => state.settle('quota', change, clock),
    }),
  }),
  ...faultsOf('settle: a slot that the state does not know is taken again', {
    'an unknown id is ignored': (state) => {
      const { ends, reserve } = remembering(state);
      return {
        reserve,
        settle: (key, change, clock) =>
          ends.has(change.id ?? '') ? state.settle(key, change, clock) : undefined,
      };
    },
    'an unknown id takes a slot with 0 too': settles(({ id = '', freeInMs = 0 }) => ({
      id,
      freeInMs: id.startsWith('unknown') ? 1000 : freeInMs,
    })),
    'an unknown id takes a slot only if one is free': (state) => {
      const { ends, reserve } = remembering(state);
      return {
        reserve,
        settle: (key, change, clock) => {
          const { id = '', freeInMs = 0 } = change;
          if (!ends.has(id) && ends.size >= 2) return;
          if (freeInMs > 0) ends.set(id, 0);
          return state.settle(key, change, clock);
        },
      };
    },
  }),
  ...faultsOf('settle: a slot that has expired is taken again', {
    'an expired slot is ignored': (state) => {
      const { ends, reserve } = remembering(state);
      return {
        reserve,
        settle: (key, change, clock) =>
          (ends.get(change.id ?? '') ?? 0) > clock.monotonic() ? state.settle(key, change, clock) : undefined,
      };
    },
  }),
  ...faultsOf('settle: calls at the same time change every slot', {
    'of several calls, one counts': (state) => {
      let isBusy = false;
      return {
        settle: async (key, change, clock) => {
          if (isBusy) return;
          isBusy = true;
          await tick();
          isBusy = false;
          await state.settle(key, change, clock);
        },
      };
    },
  }),
  ...faultsOf('reserve: the slots are a sliding window', {
    'all slots free at the full minute': (state) => ({
      settle: (key, change, clock) =>
        state.settle(key, { ...change, freeInMs: 60_000 - (clock.monotonic() % 60_000) }, clock),
    }),
    'slots free 60 s after the request that was granted before': (state) => {
      let last: number | undefined;
      return {
        settle: (key, change, clock) => {
          const freeInMs = 60_000 - (clock.monotonic() - (last ?? clock.monotonic()));
          last = clock.monotonic();
          return state.settle(key, { ...change, freeInMs }, clock);
        },
      };
    },
  }),
  ...faultsOf('reserve: waitMs is exact', {
    'waitMs is in whole seconds': reserves(async (state, key, request, clock) => {
      const result = await state.reserve(key, request, clock);
      return result.granted ? result : { ...result, waitMs: Math.ceil(result.waitMs / 1000) * 1000 };
    }),
  }),
];
