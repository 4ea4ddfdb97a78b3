import type { Clock, Mark, MarkChange, RecallRequest, State } from 'opendelivery-client';
import type { Break } from './fault.js';

export type Ids = readonly string[];

export const marks =
  (
    mark: (state: State, key: string, ids: Ids, change: MarkChange, clock: Clock) => void | Promise<void>,
  ): Break =>
  (state) => ({ mark: (key, ids, change, clock) => mark(state, key, ids, change, clock) });

export const lifetimes = (kind: 'handled' | 'attempts', change: (forMs: number) => number): Break =>
  marks((state, key, ids, request, clock) =>
    state.mark(key, ids, kind in request ? { ...request, forMs: change(request.forMs) } : request, clock),
  );

export const recalls =
  (
    recall: (
      state: State,
      key: string,
      ids: Ids,
      request: RecallRequest,
      clock: Clock,
    ) => ReturnType<State['recall']>,
  ): Break =>
  (state) => ({ recall: (key, ids, request, clock) => recall(state, key, ids, request, clock) });

export const requests = (change: (request: RecallRequest) => RecallRequest): Break =>
  recalls((state, key, ids, request, clock) => state.recall(key, ids, change(request), clock));

export const results = (change: (found: readonly Mark[], ids: Ids) => readonly Mark[]): Break =>
  recalls(async (state, key, ids, request, clock) =>
    change(await state.recall(key, ids, request, clock), ids),
  );

export const ids =
  (change: (id: string) => string): Break =>
  (state) => ({
    recall: (key, all, { count, ...request }, clock) => {
      const changed = count && { ...count, ids: count.ids.map(change) };
      return state.recall(key, all.map(change), { ...request, count: changed }, clock);
    },
    mark: (key, all, request, clock) => state.mark(key, all.map(change), request, clock),
  });

export const NOT_RENEWED = { handledMs: 0, attemptedMs: 0 };
export const handledOf = async (state: State, key: string, all: Ids, clock: Clock) => {
  const found = await state.recall(key, all, NOT_RENEWED, clock);
  return all.filter((_id, at) => found[at]?.handled);
};

export const counted = (
  change: (count: NonNullable<RecallRequest['count']>) => RecallRequest['count'],
): Break => requests(({ count, ...request }) => ({ ...request, count: count && change(count) }));
