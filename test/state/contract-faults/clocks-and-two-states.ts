import {
  answers,
  apart,
  BY_WALL_CLOCK,
  COMPARES_EARLY,
  COUNTS_LATE,
  clocked,
  DAY_MS,
  durations,
  type Faults,
  fences,
  made,
  RESERVES_LATE,
} from './breaks.js';

export const CLOCKS: Faults = {
  'all methods: what is kept ends when its duration has passed, and not before': {
    'values end 1 ms too early': durations((ms) => ms - 1, ['set']),
  },
  'all methods: durations may have fractions': {
    'fractions are an error': durations((ms) => {
      if (!Number.isInteger(ms)) throw new Error('invalid input syntax for type bigint');
      return ms;
    }),
  },
  'all methods: durations may be months': {
    'durations have 32 bits': durations((ms) => (Number.isInteger(ms) ? ms | 0 : ms)),
  },
  'all methods: durations may be ten years': {
    'the longest duration is a year': durations((ms) => Math.min(ms, 365 * DAY_MS)),
  },
  'all methods: fractions of a millisecond are rounded up': {
    'they are rounded down': durations(Math.floor),
    'only values are rounded down': durations(Math.floor, ['set']),
    'only slots are rounded down': durations(Math.floor, ['reserve']),
    'only settle rounds down': durations(Math.floor, ['settle']),
    'only marks are rounded down': durations(Math.floor, ['mark']),
  },
  'lease: a clock that is set back keeps no lease for longer': { 'it follows that clock': BY_WALL_CLOCK },
  'lease: fences grow, also if the clock is set back': {
    'a fence is the time': fences((_fence, _holder, clock) => clock.now()),
  },
  'reserve: a clock that is set back keeps no slot taken for longer': {
    'it follows that clock': BY_WALL_CLOCK,
  },
  'reserve: a clock that is set back frees no slot earlier': {
    'a slot lasts at most as long as the next request asks': answers('reserve', (result, _key, { holdMs }) =>
      result.granted ? result : { ...result, waitMs: Math.min(result.waitMs, holdMs) },
    ),
  },
  'settle: a clock that is set back keeps no key shut for longer': { 'it follows that clock': BY_WALL_CLOCK },
  'settle: a shut counts, however long an earlier one seems to last': {
    'it follows that clock': BY_WALL_CLOCK,
  },
  'get and recall: a clock that is set back loses nothing': {
    'what is further away than before has expired': made(() => {
      let startedAt: number | undefined;
      return clocked((clock) => {
        startedAt ??= clock.now();
        const since = startedAt;
        return { monotonic: () => Math.abs(clock.now() - since) };
      });
    }),
  },
};

/** Only the second of two states over one storage is wrong. */
export const SECOND: Faults = {
  'two states: values are shared, and visible at once': {
    'the second one is empty': apart('get', 'set'),
  },
  'two states: set: comparing with ifEquals and writing are one step': { 'they are two': COMPARES_EARLY },
  'two states: slots and shuts are shared': {
    'the second one has its own': apart('reserve', 'settle'),
    'the second one does not settle slots of the first': apart('settle'),
  },
  'two states: reserve: an id is never used again': {
    'each state counts its own': (state) => {
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
  },
  'two states: reserve: requests at the same time never exceed the limit': {
    'the second one takes the slot later than it counts': RESERVES_LATE,
  },
  'two states: leases and fences are shared': {
    'the second one has its own': apart('lease', 'reserve'),
    'the second one gives new fences': fences((fence) => fence + 1),
  },
  'two states: lease: one of many that ask at the same time gets it': {
    'the second one has its own': apart('lease'),
  },
  'two states: marks are shared, and visible at once': {
    'the second one has its own': apart('recall', 'mark'),
    'the second one does not mark': apart('mark'),
  },
  'two states: recall: of several that count a new id at the same time, one finds it new': {
    'it counts later than it reads': COUNTS_LATE,
  },
};
