import { MAX_LIFETIME_MS } from '../../../src/state/port.js';
import {
  answers,
  as,
  COMPARES_EARLY,
  durations,
  type Faults,
  keyed,
  made,
  oneAtATime,
  RESERVES_LATE,
  refusals,
  settles,
  settlesIf,
  tick,
} from './breaks.js';

/** `ifEquals` is compared as a database may compare texts. */
const comparing = (shown: (text: string) => string) =>
  as('set', async (state, key, value, { forMs, ifEquals }, clock) => {
    const held = await state.get(key, clock);
    const isEqual = ifEquals !== undefined && held !== undefined && shown(held) === shown(ifEquals);
    return state.set(
      key,
      value,
      { forMs, ...(ifEquals !== undefined && { ifEquals: isEqual ? held : ifEquals }) },
      clock,
    );
  });

export const VALUES: Faults = {
  'set: it replaces the lifetime of an earlier value': {
    'the longest lifetime stays': made(() => {
      let longestMs = 0;
      return durations((ms) => (longestMs = Math.max(ms, longestMs)), ['set']);
    }),
  },
  'set: undefined removes the value, and so does a lifetime of 0 or less': {
    'forMs 0 means for ever': durations((ms) => ms || MAX_LIFETIME_MS, ['set']),
  },
  'set: with ifEquals it changes only a value that is equal': {
    'its case does not count': comparing((text) => text.toLowerCase()),
    'blanks at its end do not count': comparing((text) => text.trimEnd()),
  },
  'set: with ifEquals it writes nothing if there is no value': {
    'a missing value equals the empty string': as('set', async (state, key, value, options, clock) => {
      const isMissing = (await state.get(key, clock)) === undefined;
      await state.set(key, value, isMissing && !options.ifEquals ? { forMs: options.forMs } : options, clock);
    }),
  },
  'set: ifEquals compares no expired value; a refused set keeps the lifetime': {
    'an expired value is compared': made(() => {
      const values = new Map<string, string | undefined>();
      return as('set', (state, key, value, { forMs, ifEquals }, clock) => {
        if (ifEquals !== undefined && values.get(key) !== ifEquals) return;
        values.set(key, value);
        return state.set(key, value, { forMs }, clock);
      });
    }),
  },
  'set: comparing with ifEquals and writing are one step': { 'they are two': COMPARES_EARLY },
  'get: it returns any string unchanged': {
    'the empty string is no value': answers('get', (value) => value || undefined),
  },
  'get: keys are distinguished, whatever string they are': {
    'keys are compared without case': keyed((key) => key.toLowerCase(), 'get', 'set'),
    'keys are compared without spaces at the end': keyed((key) => key.trimEnd(), 'get', 'set'),
  },
  'set: values that are written at the same time are never mixed': {
    'each half is written on its own': (state) => {
      let calls = 0;
      return {
        get: async (key, clock) => {
          const halves = [await state.get(`${key}.1`, clock), await state.get(`${key}.2`, clock)];
          return halves[0] === undefined ? undefined : halves.join('');
        },
        set: async (key, value = '', options, clock) => {
          const middle = value.length / 2;
          await state.set(`${key}.1`, value.slice(0, middle), options, clock);
          calls += 1;
          for (let turn = calls * 3; turn < 100; turn += 1) await tick();
          await state.set(`${key}.2`, value.slice(middle), options, clock);
        },
      };
    },
  },
};

export const QUOTAS: Faults = {
  'reserve: it grants slots up to the limit; a refused request takes none': {
    'all keys share their slots': keyed(() => 'quota', 'reserve'),
  },
  'reserve: requests at the same time never exceed the limit': {
    'it takes the slot later than it counts': RESERVES_LATE,
  },
  'reserve: an id is never used again': {
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
  },
  'reserve: each request has its own limit': {
    'the first limit of a key stays': made(() => {
      let first = 0;
      return durations((limit) => (first ||= limit), ['reserve'], /^limit$/);
    }),
  },
  'settle: freeInMs replaces the instant at which the slot frees': {
    'each settle takes another slot': settles((change) => ({ ...change, id: `${Math.random()}` })),
  },
  'settle: freeInMs of 0 or less frees the slot at once, and only this one': {
    'it finds the id in every key': keyed(() => 'quota', 'settle'),
  },
  'settle: a slot that the state does not know is taken again': {
    'it is ignored': settlesIf((endsAt) => endsAt !== undefined),
  },
  'settle: a slot that has expired is taken again': {
    'it is ignored': settlesIf((endsAt = 0, clock) => endsAt > clock.monotonic()),
  },
  'settle: calls at the same time change every slot': { 'one of them counts': oneAtATime('settle') },
  'reserve: the slots are a sliding window': {
    'all slots free at the full minute': as('settle', (state, key, change, clock) =>
      state.settle(key, { ...change, freeInMs: 60_000 - (clock.monotonic() % 60_000) }, clock),
    ),
  },
  'reserve: waitMs is exact': {
    'waitMs is in whole seconds': refusals((refusal) => ({
      ...refusal,
      waitMs: Math.ceil(refusal.waitMs / 1000) * 1000,
    })),
  },
};

export const SHUTS: Faults = {
  'settle: shutMs makes reserve refuse every request of the key': {
    'all keys are shut': keyed(() => 'quota', 'reserve', 'settle'),
  },
  'settle: of two shuts, the one that ends later remains; 0 or less shuts nothing': {
    'its sign is ignored': durations(Math.abs, ['settle'], /^shutMs$/),
  },
  'settle: a shut frees no slot, and takes none': {
    'a shut counts as a slot': as('settle', async (state, key, change, clock) => {
      await state.settle(key, change, clock);
      if (change.shutMs) await state.settle(key, { id: 'shut', freeInMs: 60_000 }, clock);
    }),
  },
  'settle: one call can settle a slot and shut the key': {
    'with an id, it does not shut': settles(({ shutMs, ...slot }) =>
      slot.id === undefined ? { shutMs } : slot,
    ),
  },
  'settle: the slot of a call that also shuts is settled': {
    'with shutMs, no slot is settled': settles((change) =>
      change.shutMs ? { shutMs: change.shutMs } : change,
    ),
  },
  'reserve: it checks first the lease, then the shut, then the slots': {
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
  },
};
