import { type Break, type Fault, faultsOf } from './fault.js';
import { remembering, reserves, settles } from './quota-breaks.js';

/** Keeps the shuts itself. */
const shuts =
  (end: (present: number, asked: number, now: number) => number): Break =>
  (state) => {
    const ends = new Map<string, number>();
    return {
      settle: (key, { shutMs = 0, ...slot }, clock) => {
        const now = clock.monotonic();
        if (shutMs > 0) ends.set(key, end(ends.get(key) ?? now, now + shutMs, now));
        return state.settle(key, slot, clock);
      },
      reserve: (key, request, clock) => {
        const waitMs = (ends.get(key) ?? 0) - clock.monotonic();
        if (waitMs > 0) return { granted: false, waitMs, reason: 'shut' };
        return state.reserve(key, request, clock);
      },
    };
  };

export const SHUT_FAULTS: readonly Fault[] = [
  ...faultsOf('settle: shutMs makes reserve refuse every request of the key', {
    'shutMs is ignored': settles(({ shutMs: _ignored, ...slot }) => slot),
    'the reason is always quota': reserves(async (state, key, request, clock) => {
      const result = await state.reserve(key, request, clock);
      return result.granted ? result : { ...result, reason: 'quota' };
    }),
    'a high limit opens it': reserves((state, key, request, clock) =>
      state.reserve(request.limit > 10 ? `${key}.` : key, request, clock),
    ),
    'all keys are shut': (state) => ({
      settle: (_key, change, clock) => state.settle('quota', change, clock),
      reserve: (_key, request, clock) => state.reserve('quota', request, clock),
    }),
  }),
  ...faultsOf('settle: a shut ends as soon as shutMs has passed, and not before', {
    'it ends 1 ms too late': settles(({ shutMs = 0, ...slot }) => ({ ...slot, shutMs: shutMs + 1 })),
    'it ends 1 ms too early': settles(({ shutMs = 0, ...slot }) => ({ ...slot, shutMs: shutMs - 1 })),
    'it ends when the process ends': settles(({ shutMs = 0, ...slot }) => ({
      ...slot,
      shutMs: shutMs && 86_400_000,
    })),
  }),
  ...faultsOf('settle: of two shuts, the one that ends later remains', {
    'the last one remains': shuts((_present, asked) => asked),
    'the first one remains': shuts((present, asked, now) => (present > now ? present : asked)),
    'they are added': shuts((present, asked, now) => present + asked - now),
  }),
  ...faultsOf('settle: a shutMs of 0 or less does nothing', {
    'it shuts for a second': settles(({ shutMs = 0, ...slot }) => ({ ...slot, shutMs: shutMs || 1000 })),
    'its sign is ignored': settles(({ shutMs = 0, ...slot }) => ({ ...slot, shutMs: Math.abs(shutMs) })),
  }),
  ...faultsOf('settle: a shut frees no slot, and takes none', {
    'a shut frees all slots': (state) => {
      const { ends, reserve } = remembering(state);
      return {
        reserve,
        settle: async (key, change, clock) => {
          if (change.shutMs)
            for (const id of ends.keys()) await state.settle(key, { id, freeInMs: 0 }, clock);
          await state.settle(key, change, clock);
        },
      };
    },
    'a shut counts as a slot': (state) => ({
      settle: async (key, change, clock) => {
        await state.settle(key, change, clock);
        if (change.shutMs) await state.settle(key, { id: 'shut', freeInMs: 60_000 }, clock);
      },
    }),
  }),
  ...faultsOf('settle: one call can settle a slot and shut the key', {
    'with an id, it does not shut': settles(({ shutMs, ...slot }) =>
      slot.id === undefined ? { shutMs } : slot,
    ),
    'freeInMs 0 frees only': settles((change) => (change.freeInMs === 0 ? { ...change, shutMs: 0 } : change)),
  }),
  ...faultsOf('settle: the slot of a call that also shuts is settled', {
    'with shutMs, no slot is settled': settles((change) =>
      change.shutMs ? { shutMs: change.shutMs } : change,
    ),
    'with shutMs, a slot can only be freed': settles((change) =>
      change.shutMs && change.freeInMs ? { shutMs: change.shutMs } : change,
    ),
  }),
  ...faultsOf('reserve: it checks first the lease, then the shut, then the slots', {
    'the shut is checked before the lease': (state) => {
      let isShut = false;
      return {
        settle: (key, change, clock) => {
          isShut ||= change.shutMs !== undefined;
          return state.settle(key, change, clock);
        },
        reserve: (key, { lease, ...request }, clock) =>
          state.reserve(key, isShut ? request : { ...request, lease }, clock),
      };
    },
    'the slots are checked before the shut': (state) => {
      const { ends, reserve } = remembering(state);
      return {
        reserve: (key, request, clock) => {
          if (!request.lease && ends.size >= request.limit)
            return { granted: false, waitMs: 90_000, reason: 'quota' };
          return reserve(key, request, clock);
        },
      };
    },
  }),
];
