import type { State } from 'opendelivery-client';
import { MAX_LIFETIME_MS } from '../../../src/state/port.js';
import { type Break, type Fault, faultsOf, tick } from './fault.js';

const lifetime =
  (change: (forMs: number) => number): Break =>
  (state) => ({
    set: (key, value, options, clock) =>
      state.set(key, value, { ...options, forMs: change(options.forMs) }, clock),
  });

const strings =
  (change: (text: string) => string): Break =>
  (state) => ({
    set: (key, value, options, clock) =>
      state.set(key, value === undefined ? value : change(value), options, clock),
  });

const keys =
  (change: (key: string) => string): Break =>
  (state) => ({
    get: (key, clock) => state.get(change(key), clock),
    set: (key, value, options, clock) => state.set(change(key), value, options, clock),
  });

const writes =
  (set: (state: State, ...parameters: Parameters<State['set']>) => void | Promise<void>): Break =>
  (state) => ({ set: (...parameters) => set(state, ...parameters) });

export const VALUE_FAULTS: readonly Fault[] = [
  ...faultsOf('get: it returns the string of the last set, for each key alone', {
    'all keys have one value': keys(() => 'key'),
    'the first value stays': writes(async (state, key, value, options, clock) => {
      if ((await state.get(key, clock)) === undefined) await state.set(key, value, options, clock);
    }),
    'get rejects for a missing value': (state) => ({
      get: async (key, clock) => {
        const value = await state.get(key, clock);
        if (value === undefined) throw new Error('not found');
        return value;
      },
    }),
  }),
  ...faultsOf('get: a value is there until its lifetime has passed, and not longer', {
    'values expire 1 ms late': lifetime((forMs) => forMs + 1),
    'values expire 1 ms early': lifetime((forMs) => forMs - 1),
    'values never expire': lifetime((forMs) => (forMs > 0 ? MAX_LIFETIME_MS : forMs)),
  }),
  ...faultsOf('set: it replaces the lifetime of an earlier value', {
    'the longer lifetime stays': (state) => {
      const ends = new Map<string, number>();
      return {
        set: (key, value, options, clock) => {
          const end = Math.max(ends.get(key) ?? 0, clock.monotonic() + options.forMs);
          ends.set(key, end);
          return state.set(key, value, { ...options, forMs: end - clock.monotonic() }, clock);
        },
      };
    },
    'the first lifetime stays': (state) => {
      const ends = new Map<string, number>();
      return {
        set: (key, value, options, clock) => {
          const end = ends.get(key) ?? clock.monotonic() + options.forMs;
          ends.set(key, end);
          return state.set(key, value, { ...options, forMs: end - clock.monotonic() }, clock);
        },
      };
    },
  }),
  ...faultsOf('set: undefined removes the value, and so does a lifetime of 0 or less', {
    'undefined does nothing': writes((state, key, value, options, clock) =>
      value === undefined ? undefined : state.set(key, value, options, clock),
    ),
    'undefined removes only with forMs 0': writes((state, key, value, options, clock) =>
      value === undefined && options.forMs > 0 ? undefined : state.set(key, value, options, clock),
    ),
    'forMs 0 means for ever': lifetime((forMs) => (forMs === 0 ? MAX_LIFETIME_MS : forMs)),
    'a negative forMs does nothing': writes((state, key, value, options, clock) =>
      options.forMs < 0 ? undefined : state.set(key, value, options, clock),
    ),
  }),
  ...faultsOf('set: with ifEquals it changes only a value that is equal', {
    'ifEquals is ignored': writes((state, key, value, { forMs }, clock) =>
      state.set(key, value, { forMs }, clock),
    ),
    'ifEquals is ignored when a value is removed': writes((state, key, value, { forMs, ifEquals }, clock) =>
      state.set(key, value, value === undefined ? { forMs } : { forMs, ifEquals }, clock),
    ),
    'ifEquals never matches': writes((state, key, value, options, clock) =>
      options.ifEquals === undefined ? state.set(key, value, options, clock) : undefined,
    ),
    'an ifEquals that is undefined matches nothing': writes((state, key, value, options, clock) =>
      'ifEquals' in options && options.ifEquals === undefined
        ? undefined
        : state.set(key, value, options, clock),
    ),
  }),
  ...faultsOf('set: with ifEquals it writes nothing if there is no value', {
    'a missing value equals the empty string': writes(async (state, key, value, options, clock) => {
      const { forMs, ifEquals } = options;
      const isMissing = (await state.get(key, clock)) === undefined;
      await state.set(key, value, isMissing && ifEquals === '' ? { forMs } : options, clock);
    }),
    'a missing value equals anything': writes(async (state, key, value, { forMs, ifEquals }, clock) => {
      const isMissing = (await state.get(key, clock)) === undefined;
      await state.set(key, value, isMissing ? { forMs } : { forMs, ifEquals }, clock);
    }),
    'an empty ifEquals is no condition': writes((state, key, value, { forMs, ifEquals }, clock) =>
      state.set(key, value, ifEquals ? { forMs, ifEquals } : { forMs }, clock),
    ),
  }),
  ...faultsOf('set: ifEquals compares no expired value, and a refused set keeps the lifetime', {
    'a refused set renews the value': writes(async (state, key, value, options, clock) => {
      const present = await state.get(key, clock);
      await state.set(key, value, options, clock);
      if (options.ifEquals !== undefined && present !== options.ifEquals && present !== undefined)
        await state.set(key, present, { forMs: options.forMs }, clock);
    }),
    'an expired value is compared': (state) => {
      const values = new Map<string, string | undefined>();
      return {
        set: (key, value, { forMs, ifEquals }, clock) => {
          if (ifEquals !== undefined && values.get(key) !== ifEquals) return;
          values.set(key, value);
          return state.set(key, value, { forMs }, clock);
        },
      };
    },
  }),
  ...faultsOf('set: comparing with ifEquals and writing are one step', {
    'it writes later than it compares': writes(async (state, key, value, { forMs, ifEquals }, clock) => {
      if (ifEquals !== undefined && (await state.get(key, clock)) !== ifEquals) return;
      if (ifEquals !== undefined) await tick();
      await state.set(key, value, { forMs }, clock);
    }),
  }),
  ...faultsOf('get: it returns any string unchanged', {
    'strings end at U+0000': strings((text) => text.split('\u0000')[0] ?? ''),
    'strings are trimmed': strings((text) => text.trim()),
    'a byte order mark is removed': strings((text) => text.replace(/^\ufeff/, '')),
    'strings are normalized': strings((text) => text.normalize()),
    'strings are cut at 64 KiB': strings((text) => text.slice(0, 65_536)),
    'the empty string is no value': strings((text) => text || ' '),
    'ifEquals ignores spaces at the end': (state) => ({
      set: async (key, value, { forMs, ifEquals }, clock) => {
        const present = await state.get(key, clock);
        if (ifEquals !== undefined && present?.trimEnd() !== ifEquals) return;
        await state.set(key, value, { forMs }, clock);
      },
    }),
  }),
  ...faultsOf('get: keys are distinguished, whatever string they are', {
    'keys are compared without case': keys((key) => key.toLowerCase()),
    'keys are compared without spaces at the end': keys((key) => key.trimEnd()),
    'keys are normalized': keys((key) => key.normalize()),
    'keys are cut at 191 characters': (state) => {
      const short = keys((key) => key.slice(0, 191))(state);
      return { ...short, get: (key, clock) => (key.length > 191 ? undefined : state.get(key, clock)) };
    },
    'keys are properties of an object': () => {
      const values: Record<string, string | undefined> = {};
      return { get: (key) => values[key], set: (key, value) => void (values[key] = value) };
    },
  }),
  ...faultsOf('set: values that are written at the same time are never mixed', {
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
  }),
];
