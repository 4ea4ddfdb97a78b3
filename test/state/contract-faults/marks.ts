import type { Mark } from 'opendelivery-client';
import { type Fault, faultsOf, tick } from './fault.js';
import { handledOf, ids, lifetimes, marks, NOT_RENEWED, recalls, requests, results } from './mark-breaks.js';

export const MARK_FAULTS: readonly Fault[] = [
  ...faultsOf('recall: it returns one mark for each id, in the order of the ids', {
    'the marks are in another order': results((found) => [...found].reverse()),
    'the marks are in the order of the sorted ids': results((found, all) => {
      const order = [...all].sort();
      return order.map((id) => found[all.indexOf(id)] as Mark);
    }),
    'an id that occurs twice has one mark': results((found, all) =>
      found.filter((_mark, at) => all.indexOf(all[at] ?? '') === at),
    ),
    'unknown events have no mark': results((found) =>
      found.filter(({ handled, attempts }) => handled || attempts > 0),
    ),
    'handled is 1 instead of true': results((found) =>
      found.map((mark) => ({ ...mark, handled: Number(mark.handled) as never })),
    ),
    'marks are numbers': results((found) => found.map(({ attempts }) => attempts as never)),
    'all keys share their marks': (state) => ({
      recall: (_key, all, request, clock) => state.recall('events', all, request, clock),
    }),
  }),
  ...faultsOf('mark: a handled event is known until forMs has passed, and not longer', {
    'it is known 1 ms too long': lifetimes('handled', (forMs) => forMs + 1),
    'it is forgotten 1 ms too early': lifetimes('handled', (forMs) => forMs - 1),
    'all marks of a key have the last lifetime': (state) => {
      const all = new Set<string>();
      return {
        mark: (key, given, change, clock) => {
          for (const id of given) all.add(id);
          return state.mark(key, [...all], change, clock);
        },
      };
    },
    'the first lifetime stays': marks(async (state, key, all, change, clock) => {
      const known = await handledOf(state, key, all, clock);
      await state.mark(
        key,
        all.filter((id) => !known.includes(id)),
        change,
        clock,
      );
    }),
  }),
  ...faultsOf('mark: attempts are known until forMs has passed, and not longer', {
    'they are known 1 ms too long': lifetimes('attempts', (forMs) => forMs + 1),
    'they are forgotten 1 ms too early': lifetimes('attempts', (forMs) => forMs - 1),
    'an attempt keeps the lifetime of the first one': (state) => {
      const ends = new Map<string, number>();
      return {
        mark: async (key, all, change, clock) => {
          for (const id of all) {
            const end = ends.get(id) ?? clock.monotonic() + change.forMs;
            ends.set(id, end);
            await state.mark(key, [id], { ...change, forMs: end - clock.monotonic() }, clock);
          }
        },
      };
    },
  }),
  ...faultsOf('mark: handled with a forMs of 0 or less removes the mark', {
    'it does nothing': marks((state, key, all, change, clock) =>
      change.forMs > 0 ? state.mark(key, all, change, clock) : undefined,
    ),
    'only 0 removes it': marks((state, key, all, change, clock) =>
      change.forMs < 0 ? undefined : state.mark(key, all, change, clock),
    ),
    'it removes only handled events': marks(async (state, key, all, change, clock) => {
      const known = await handledOf(state, key, all, clock);
      await state.mark(key, change.forMs > 0 ? all : known, change, clock);
    }),
    'it removes all marks of the key': (state) => {
      const known = new Set<string>();
      return {
        mark: (key, all, change, clock) => {
          for (const id of all) known.add(id);
          return state.mark(key, change.forMs > 0 ? all : [...known], change, clock);
        },
      };
    },
  }),
  ...faultsOf('mark: attempts are added and taken back one by one', {
    'attempts -1 does nothing': marks((state, key, all, change, clock) =>
      'attempts' in change && change.attempts < 0 ? undefined : state.mark(key, all, change, clock),
    ),
    'attempts -1 removes the mark': marks((state, key, all, change, clock) =>
      state.mark(
        key,
        all,
        'attempts' in change && change.attempts < 0 ? { handled: true, forMs: 0 } : change,
        clock,
      ),
    ),
    'attempts go below 0': (state) => {
      const debts = new Map<string, number>();
      return {
        mark: async (key, all, change, clock) => {
          for (const id of all) {
            const [{ attempts = 0 } = {}] = await state.recall(key, [id], NOT_RENEWED, clock);
            const debt = debts.get(id) ?? 0;
            if ('attempts' in change && change.attempts < 0 && attempts === 0) debts.set(id, debt + 1);
            else if (debt > 0) debts.set(id, debt - 1);
            else await state.mark(key, [id], change, clock);
          }
        },
      };
    },
    'only the first id is counted': marks((state, key, all, change, clock) =>
      state.mark(key, all.slice(0, 1), change, clock),
    ),
    'an event with 0 attempts is handled': results((found) =>
      found.map((mark) => (mark.attempts === 0 ? { handled: true, attempts: 0 } : mark)),
    ),
  }),
  ...faultsOf('mark: attempts at the same time are all counted', {
    'attempts are counted in a signed byte': results((found) =>
      found.map(({ handled, attempts }) => ({ handled, attempts: Math.min(attempts, 127) })),
    ),
    'of several calls, one counts': (state) => {
      let isBusy = false;
      return {
        mark: async (...parameters) => {
          if (isBusy) return;
          isBusy = true;
          await tick();
          isBusy = false;
          await state.mark(...parameters);
        },
      };
    },
  }),
  ...faultsOf('mark: a handled event stays handled', {
    'an attempt makes it a failed one': marks(async (state, key, all, change, clock) => {
      if ('attempts' in change && change.attempts > 0)
        await state.mark(key, await handledOf(state, key, all, clock), { handled: true, forMs: 0 }, clock);
      await state.mark(key, all, change, clock);
    }),
    'attempts -1 forgets it': marks(async (state, key, all, change, clock) => {
      if ('attempts' in change && change.attempts < 0)
        await state.mark(key, await handledOf(state, key, all, clock), { handled: true, forMs: 0 }, clock);
      await state.mark(key, all, change, clock);
    }),
    'an attempted event cannot be handled': marks(async (state, key, all, change, clock) => {
      const found = await state.recall(key, all, NOT_RENEWED, clock);
      const others = all.filter((_id, at) => found[at]?.handled || found[at]?.attempts === 0);
      await state.mark(key, 'handled' in change ? others : all, change, clock);
    }),
  }),
  ...faultsOf('mark: attempts do not change the lifetime of a handled event', {
    'they set its lifetime': marks(async (state, key, all, change, clock) => {
      const known = await handledOf(state, key, all, clock);
      await state.mark(key, all, change, clock);
      await state.mark(key, known, { handled: true, forMs: change.forMs }, clock);
    }),
  }),
  ...faultsOf('mark: any number of ids, also none, and an id may occur twice', {
    'no ids are an error': marks((state, key, all, change, clock) => {
      if (all.length === 0) throw new Error('syntax error near IN ()');
      return state.mark(key, all, change, clock);
    }),
    'the same id twice is an error': marks((state, key, all, change, clock) => {
      if (new Set(all).size < all.length) throw new Error('cannot affect row a second time');
      return state.mark(key, all, change, clock);
    }),
    'only a thousand ids are marked': marks((state, key, all, change, clock) =>
      state.mark(key, all.slice(0, 1000), change, clock),
    ),
    'only a thousand ids are recalled': recalls((state, key, all, request, clock) =>
      state.recall(key, all.slice(0, 1000), request, clock),
    ),
    'only a thousand attempts are counted': marks((state, key, all, change, clock) =>
      state.mark(key, 'attempts' in change ? all.slice(0, 1000) : all, change, clock),
    ),
  }),
  ...faultsOf('mark: ids are distinguished, whatever string they are', {
    'ids are compared without case': ids((id) => id.toLowerCase()),
    'ids are compared without spaces at the end': ids((id) => id.trimEnd()),
    'ids end at U+0000': ids((id) => id.split('\u0000')[0] ?? ''),
    'ids are normalized': ids((id) => id.normalize()),
    'ids are compared without accents': ids((id) => id.normalize('NFD').replace(/\p{M}/gu, '')),
    'ids are cut at 500 characters': ids((id) => id.slice(0, 500)),
    'numeric ids are numbers': ids((id) => (/^\d+$/.test(id) ? String(Number(id)) : id)),
    'the empty id is ignored': marks((state, key, all, change, clock) =>
      state.mark(key, all.filter(Boolean), change, clock),
    ),
    'a byte order mark is removed': ids((id) => id.replace(/^\ufeff/, '')),
  }),
  ...faultsOf('recall: a mark gets its full lifetime again when less than three quarters are left', {
    'marks are not renewed': requests((request) => ({ ...request, ...NOT_RENEWED })),
    'handled events are not renewed': requests((request) => ({ ...request, handledMs: 0 })),
    'attempts are not renewed': requests((request) => ({ ...request, attemptedMs: 0 })),
    'renewing adds an attempt': (state) => ({
      recall: async (key, all, request, clock) => {
        const found = await state.recall(key, all, request, clock);
        if (request.attemptedMs > 0)
          await state.mark(key, all, { attempts: 1, forMs: request.attemptedMs }, clock);
        return found;
      },
    }),
  }),
  ...faultsOf('recall: it renews handled events by handledMs, and attempts by attemptedMs', {
    'it renews all marks by handledMs': requests((request) => ({
      ...request,
      attemptedMs: request.handledMs,
    })),
    'it renews all marks by attemptedMs': requests((request) => ({
      ...request,
      handledMs: request.attemptedMs,
    })),
    'it makes marks of unknown events': (state) => ({
      recall: async (key, all, request, clock) => {
        const found = await state.recall(key, all, request, clock);
        await state.mark(
          key,
          all.filter((_id, at) => !found[at]?.handled && found[at]?.attempts === 0),
          { attempts: 1, forMs: 1000 },
          clock,
        );
        return found;
      },
    }),
  }),
  ...faultsOf('recall: it does not renew a mark while three quarters of its lifetime are left', {
    'it renews too early': requests((request) => ({ ...request, handledMs: request.handledMs * 1.01 })),
    'it renews too late': requests((request) => ({ ...request, handledMs: request.handledMs * 0.99 })),
  }),
  ...faultsOf('recall: a mark that is renewed again and again never expires', {
    'a mark is renewed once': (state) => {
      const renewed = new Set<string>();
      return {
        recall: (key, all, request, clock) => {
          const isAgain = all.every((id) => renewed.has(id));
          for (const id of all) renewed.add(id);
          return state.recall(key, all, isAgain ? NOT_RENEWED : request, clock);
        },
      };
    },
  }),
];
