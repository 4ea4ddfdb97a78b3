import {
  as,
  attemptsOnly,
  COUNTS_LATE,
  counts,
  durations,
  type Faults,
  handledOf,
  ids,
  keyed,
  leasesLate,
  made,
  oneAtATime,
  refusals,
  tick,
  UNCHANGED,
} from './breaks.js';

export const LEASES: Faults = {
  'lease: it has one holder, who renews it; others are refused': {
    'the case of a holder does not count': as('lease', (state, key, { holder, leaseMs }, clock) =>
      state.lease(key, { holder: holder.toLowerCase(), leaseMs }, clock),
    ),
    'all keys have one lease': keyed(() => 'quota', 'lease'),
  },
  'lease: a renewal ends leaseMs after it': {
    'it never ends earlier than before': made(() => {
      let longestMs = 0;
      return durations((ms) => (longestMs = Math.max(ms, longestMs)), ['lease']);
    }),
  },
  'lease: at its end, its holder keeps the fence, another gets a greater one': {
    'each lease has a new fence': made(() => {
      let endsAt = 0;
      return as('lease', async (state, key, request, clock) => {
        if (clock.monotonic() >= endsAt) await state.lease(key, { ...request, leaseMs: 0 }, clock);
        endsAt = clock.monotonic() + request.leaseMs;
        return state.lease(key, request, clock);
      });
    }),
  },
  'lease: a leaseMs of 0 by the holder ends it; fences grow with each next lease': {
    'it does nothing': as('lease', (state, key, request, clock) =>
      request.leaseMs > 0 ? state.lease(key, request, clock) : { granted: true, fence: 1 },
    ),
  },
  'lease: a leaseMs of 0 by another holder does nothing': {
    'anybody ends it': made(() => {
      let holder = '';
      return as('lease', async (state, key, request, clock) => {
        if (request.leaseMs === 0) return state.lease(key, { holder, leaseMs: 0 }, clock);
        const lease = await state.lease(key, request, clock);
        if (lease.granted) holder = request.holder;
        return lease;
      });
    }),
  },
  'lease: one of many that ask at the same time gets it': {
    'it is written later than it is read': leasesLate('lease'),
  },
  'reserve: with a lease, it acquires the lease in the same step': {
    'the lease is ignored': as('reserve', (state, key, { lease: _ignored, ...request }, clock) =>
      state.reserve(key, request, clock),
    ),
  },
  'reserve: it renews the lease, also if it grants no slot': {
    'a refusal has no fence': refusals(({ fence: _ignored, ...refusal }) => refusal),
  },
  'reserve: a refusal for the lease does not change the lease': {
    'it ends the lease': as('reserve', async (state, key, request, clock) => {
      const result = await state.reserve(key, request, clock);
      if (!result.granted) await state.lease(key, { holder: 'a', leaseMs: 0 }, clock);
      return result;
    }),
  },
  'reserve: one of many that ask for the lease at the same time gets slots': {
    'the lease is written later than it is read': leasesLate('reserve'),
  },
};

export const MARKS: Faults = {
  'recall: it returns one mark for each id, in the order of the ids': {
    'all keys share their marks': keyed(() => 'events', 'recall'),
  },
  'mark: it replaces the lifetime of an earlier mark': {
    'the first lifetime of an id stays': made(() => {
      const lifetimes = new Map<string, number>();
      return as('mark', async (state, key, all, { forMs, ...change }, clock) => {
        for (const id of all) {
          const first = lifetimes.get(id) ?? forMs;
          lifetimes.set(id, first);
          await state.mark(
            key,
            [id],
            { ...change, forMs: first } as typeof change & { forMs: number },
            clock,
          );
        }
      });
    }),
  },
  'mark: handled with a forMs of 0 or less removes the mark': {
    'it does nothing': as('mark', (state, key, all, change, clock) =>
      change.forMs > 0 ? state.mark(key, all, change, clock) : undefined,
    ),
  },
  'mark: attempts are added and taken back one by one': {
    'only the first id is counted': attemptsOnly(([key, all, ...others]) => [
      key,
      all.slice(0, 1),
      ...others,
    ]),
  },
  'mark: attempts at the same time are all counted': {
    'one of them counts': oneAtATime('mark'),
  },
  'mark: a handled event stays handled': {
    'an attempt makes it a failed one': as('mark', async (state, key, all, change, clock) => {
      if ('attempts' in change)
        await state.mark(key, await handledOf(state, key, all, clock), { handled: true, forMs: 0 }, clock);
      await state.mark(key, all, change, clock);
    }),
  },
  'mark: attempts do not change the lifetime of a handled event': {
    'they set its lifetime': as('mark', async (state, key, all, change, clock) => {
      const known = await handledOf(state, key, all, clock);
      await state.mark(key, all, change, clock);
      await state.mark(key, known, { handled: true, forMs: change.forMs }, clock);
    }),
  },
  'mark: any number of ids, also none, and an id may occur twice': {
    'the same id twice is an error': as('mark', (state, key, all, change, clock) => {
      if (new Set(all).size < all.length) throw new Error('cannot affect row a second time');
      return state.mark(key, all, change, clock);
    }),
    'only a thousand ids are marked': as('mark', (state, key, all, change, clock) =>
      state.mark(key, all.slice(0, 1000), change, clock),
    ),
  },
  'mark: ids are distinguished, whatever string they are': {
    'ids are compared without case': ids((id) => id.toLowerCase()),
    'ids are converted to UTF-8': ids((id) => Buffer.from(id).toString()),
    'ids are cut at 500 characters': ids((id) => id.slice(0, 500)),
    'numeric ids are numbers': ids((id) => (/^\d+$/.test(id) ? String(Number(id)) : id)),
  },
  'recall: with less than three quarters left, a mark gets its full lifetime': {
    'handled events are not renewed': durations(() => 0, ['recall'], /^handledMs$/),
  },
  'recall: it renews handled by handledMs, attempts by attemptedMs': {
    'with count, handled events are not renewed': as('recall', (state, key, all, request, clock) =>
      state.recall(key, all, request.count ? { ...request, handledMs: 0 } : request, clock),
    ),
  },
  'recall: with three quarters left, a mark is not renewed': {
    'it renews too early': durations((ms) => ms * 1.01, ['recall']),
  },
  'recall: a mark that is renewed again and again never expires': {
    'a mark is renewed once': made(() => {
      const renewed = new Set<string>();
      return as('recall', (state, key, all, request, clock) => {
        const isAgain = all.every((id) => renewed.has(id));
        for (const id of all) renewed.add(id);
        return state.recall(key, all, isAgain ? UNCHANGED : request, clock);
      });
    }),
  },
};

export const COUNTS: Faults = {
  'recall: with count, it returns the marks as they were before': {
    'it counts nothing': counts(() => undefined),
  },
  'recall: without count, or without ids to count, it counts nothing': {
    'without ids to count, it counts all': counts((count, all) => ({ ids: all, below: count.below })),
  },
  'recall: it counts only events with fewer attempts than count.below': {
    'below is ignored': counts((count) => ({ ...count, below: Number.POSITIVE_INFINITY })),
  },
  'recall: it counts an id once, also if it occurs twice': {
    'it counts it twice': as('recall', async (state, key, all, request, clock) => {
      const found = await state.recall(key, all, request, clock);
      const twice = (request.count?.ids ?? []).filter((id, at, given) => given.indexOf(id) !== at);
      await state.mark(key, [...new Set(twice)], { attempts: 1, forMs: request.attemptedMs }, clock);
      return found;
    }),
  },
  'recall: of several that count a new id at the same time, one finds it new': {
    'it counts later than it reads': COUNTS_LATE,
  },
  'recall: counts and marks at the same time are all kept': {
    'a count writes what it has read before': as('recall', async (state, key, all, request, clock) => {
      const found = await state.recall(key, all, request, clock);
      if (!request.count) return found;
      await tick();
      await state.mark(key, all, { handled: true, forMs: 0 }, clock);
      for (const [at, id] of all.entries())
        for (let times = 0; times <= (found[at]?.attempts ?? 0); times += 1)
          await state.mark(key, [id], { attempts: 1, forMs: request.attemptedMs }, clock);
      return found;
    }),
  },
  'recall: a counted event gets the lifetime attemptedMs': {
    'counts end 1 ms too late': durations((ms) => ms + 1, ['recall'], /^attemptedMs$/),
  },
  'recall: expired marks are counted from 0': {
    'they are counted on': (state) => {
      const known = new Set<string>();
      return {
        mark: (key, all, change, clock) => {
          for (const id of all) known.add(id);
          return state.mark(key, all, change, clock);
        },
        recall: async (key, all, request, clock) => {
          const found = await state.recall(key, all, request, clock);
          const again = all.filter((id) => request.count && known.has(id));
          await state.mark(key, again, { attempts: 1, forMs: request.attemptedMs }, clock);
          return found;
        },
      };
    },
  },
};
