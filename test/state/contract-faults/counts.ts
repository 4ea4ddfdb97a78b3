import { type Fault, faultsOf, tick } from './fault.js';
import { counted, handledOf, NOT_RENEWED, recalls, requests } from './mark-breaks.js';

export const COUNT_FAULTS: readonly Fault[] = [
  ...faultsOf('recall: with count, it returns the marks as they were before', {
    'it returns the marks after the count': recalls(async (state, key, all, request, clock) => {
      await state.recall(key, all, request, clock);
      return state.recall(key, all, NOT_RENEWED, clock);
    }),
    'it counts nothing': counted(() => undefined),
    'it counts all ids': recalls((state, key, all, { count, ...request }, clock) =>
      state.recall(key, all, { ...request, count: count && { ...count, ids: all } }, clock),
    ),
    'it counts handled events': recalls(async (state, key, all, request, clock) => {
      const known = await handledOf(state, key, request.count?.ids ?? [], clock);
      const found = await state.recall(key, all, request, clock);
      await state.mark(key, known, { handled: true, forMs: 0 }, clock);
      await state.mark(key, known, { attempts: 1, forMs: request.attemptedMs }, clock);
      return found;
    }),
  }),
  ...faultsOf('recall: without count, or without ids to count, it counts nothing', {
    'without count, it counts all': recalls((state, key, all, request, clock) =>
      state.recall(key, all, { count: { ids: all, below: 9 }, ...request }, clock),
    ),
    'without ids to count, it counts all': recalls((state, key, all, { count, ...request }, clock) =>
      state.recall(
        key,
        all,
        { ...request, count: count && { ...count, ids: count.ids.length > 0 ? count.ids : all } },
        clock,
      ),
    ),
  }),
  ...faultsOf('recall: it counts only events with fewer attempts than count.below', {
    'below is ignored': counted(({ ids: all }) => ({ ids: all, below: Number.POSITIVE_INFINITY })),
    'below includes its number': counted(({ ids: all, below }) => ({ ids: all, below: below + 1 })),
    'Infinity is not a number': counted((count) => (Number.isFinite(count.below) ? count : undefined)),
    'below 0 is below 1': counted(({ ids: all, below }) => ({ ids: all, below: Math.max(1, below) })),
  }),
  ...faultsOf('recall: it counts an id once, also if it occurs twice', {
    'duplicates are counted twice': recalls(async (state, key, all, request, clock) => {
      const found = await state.recall(key, all, request, clock);
      const twice = (request.count?.ids ?? []).filter((id, at, given) => given.indexOf(id) !== at);
      await state.mark(key, [...new Set(twice)], { attempts: 1, forMs: request.attemptedMs }, clock);
      return found;
    }),
    'the second of two equal ids sees the count': recalls(async (state, key, all, request, clock) => {
      const found = await state.recall(key, all, request, clock);
      const isCounted = request.count !== undefined;
      return found.map((mark, at) =>
        isCounted && all.indexOf(all[at] ?? '') !== at ? { ...mark, attempts: mark.attempts + 1 } : mark,
      );
    }),
    'only a thousand ids are counted': counted(({ ids: all, below }) => ({ ids: all.slice(0, 1000), below })),
  }),
  ...faultsOf('recall: of several that count a new id at the same time, one finds it new', {
    'it counts later than it reads': recalls(async (state, key, all, { count, ...request }, clock) => {
      const found = await state.recall(key, all, request, clock);
      await tick();
      if (count) await state.recall(key, all, { ...request, count }, clock);
      return found;
    }),
  }),
  ...faultsOf('recall: counts and marks at the same time are all kept', {
    'a count writes what it has read before': recalls(async (state, key, all, request, clock) => {
      const found = await state.recall(key, all, request, clock);
      if (!request.count) return found;
      await tick();
      await state.mark(key, all, { handled: true, forMs: 0 }, clock);
      for (const [at, id] of all.entries())
        for (let times = 0; times <= (found[at]?.attempts ?? 0); times += 1)
          await state.mark(key, [id], { attempts: 1, forMs: request.attemptedMs }, clock);
      return found;
    }),
  }),
  ...faultsOf('recall: a counted event gets the lifetime attemptedMs', {
    'it gets the lifetime handledMs': requests((request) => ({ ...request, attemptedMs: request.handledMs })),
    'it is known 1 ms too long': requests((request) => ({
      ...request,
      attemptedMs: request.attemptedMs + 1,
    })),
    'it is forgotten 1 ms too early': requests((request) => ({
      ...request,
      attemptedMs: request.attemptedMs - 1,
    })),
    'it keeps its earlier lifetime': recalls(async (state, key, all, request, clock) => {
      const found = await state.recall(key, all, request, clock);
      const again = all.filter(
        (_id, at) => request.count && (found[at]?.attempts ?? 0) > 0 && !found[at]?.handled,
      );
      await state.mark(key, again, { attempts: -1, forMs: 1000 }, clock);
      await state.mark(key, again, { attempts: 1, forMs: 1000 }, clock);
      return found;
    }),
  }),
  ...faultsOf('recall: expired marks are counted from 0', {
    'expired attempts are counted on': (state) => {
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
    'expired handled events are not counted': (state) => {
      const known = new Set<string>();
      return {
        mark: (key, all, change, clock) => {
          if ('handled' in change) for (const id of all) known.add(id);
          return state.mark(key, all, change, clock);
        },
        recall: (key, all, { count, ...request }, clock) =>
          state.recall(
            key,
            all,
            { ...request, count: count && { ...count, ids: count.ids.filter((id) => !known.has(id)) } },
            clock,
          ),
      };
    },
  }),
  ...faultsOf('recall: with count, other marks are renewed as without', {
    'with count, handled events are not renewed': requests((request) =>
      request.count ? { ...request, handledMs: 0 } : request,
    ),
    'with count, other attempts are not renewed': recalls(async (state, key, all, request, clock) => {
      if (!request.count) return state.recall(key, all, request, clock);
      const chosen = request.count.ids;
      const found = await state.recall(key, all, NOT_RENEWED, clock);
      await state.recall(key, chosen, request, clock);
      return found;
    }),
  }),
];
