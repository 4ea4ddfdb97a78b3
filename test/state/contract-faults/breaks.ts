import type { Clock, RecallRequest, State } from 'opendelivery-client';
import { memoryState } from '../../../src/state/memory-state.js';
import { STATE_METHODS } from '../../../src/state/port.js';

/** Replaces methods of a correct state by wrong ones. */
export type Break = (state: State) => Partial<State>;
export type Faults = Readonly<Record<string, Readonly<Record<string, Break>>>>;
export type Name = keyof State;
export type Parts<Of extends Name> = Parameters<State[Of]>;
export type Result<Of extends Name> = Awaited<ReturnType<State[Of]>>;
export type AnyCall = (...parameters: unknown[]) => unknown;

export const tick = () => Promise.resolve();
export const DAY_MS = 86_400_000;
export const UNCHANGED = { handledMs: 0, attemptedMs: 0 };

/** One method does something else. */
export const as =
  <Of extends Name>(name: Of, call: (state: State, ...parts: Parts<Of>) => unknown): Break =>
  (state) => ({ [name]: (...parts: Parts<Of>) => call(state, ...parts) });

/** The same for a fault that remembers something. */
export const made =
  (make: () => Break): Break =>
  (state) =>
    make()(state);

/** One method gives another result. */
export const answers = <Of extends Name>(
  name: Of,
  change: (result: Result<Of>, ...parts: Parts<Of>) => unknown,
) =>
  as(name, async (state, ...parts) =>
    change((await (state[name] as AnyCall)(...parts)) as Result<Of>, ...parts),
  );

/** These methods, or all, get other parameters. */
export const asks =
  (change: (parts: unknown[]) => unknown[], names: readonly Name[] = STATE_METHODS): Break =>
  (state) =>
    Object.fromEntries(
      names.map((name) => [name, (...parts: unknown[]) => (state[name] as AnyCall)(...change(parts))]),
    );

export const keyed = (change: (key: string) => string, ...names: Name[]) =>
  asks(([key, ...others]) => [change(key as string), ...others], names.length > 0 ? names : undefined);

/** Other durations: of these names, in the objects that these methods get. */
export const durations = (change: (ms: number) => number, names?: readonly Name[], only = /Ms$/): Break => {
  const changed = (value: unknown): unknown =>
    typeof value !== 'object' || value === null || Array.isArray(value) || 'now' in value
      ? value
      : Object.fromEntries(
          Object.entries(value).map(([name, one]) => [
            name,
            typeof one === 'number' && only.test(name) ? change(one) : changed(one),
          ]),
        );
  return asks((parts) => parts.map(changed), names);
};

export const clocked = (change: (clock: Clock) => Partial<Clock>) =>
  asks((parts) => {
    const clock = parts.at(-1) as Clock;
    const methods = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
    };
    return [...parts.slice(0, -1), { ...methods, ...change(clock) }];
  });

/** A storage of its own for these methods. */
export const apart =
  (...names: Name[]): Break =>
  () => {
    const own = memoryState();
    return Object.fromEntries(names.map((name) => [name, (own[name] as AnyCall).bind(own)]));
  };

/** Of calls at the same time, one counts. */
export const oneAtATime = (name: 'settle' | 'mark') =>
  made(() => {
    let isBusy = false;
    return as(name, async (state, ...parts) => {
      if (isBusy) return;
      isBusy = true;
      await tick();
      isBusy = false;
      await (state[name] as AnyCall)(...parts);
    });
  });

export const ids = (change: (id: string) => string) =>
  asks(
    (parts) => {
      const [key, all, { count, ...request }, clock] = parts as Parts<'recall'>;
      const counted = count && { count: { ...count, ids: count.ids.map(change) } };
      return [key, all.map(change), { ...request, ...counted }, clock];
    },
    ['recall', 'mark'],
  );

export const counts = (
  change: (count: NonNullable<RecallRequest['count']>, all: readonly string[]) => unknown,
) =>
  as('recall', (state, key, all, { count, ...request }, clock) =>
    state.recall(key, all, { ...request, count: (count && change(count, all)) as never }, clock),
  );

export const BY_WALL_CLOCK = clocked((clock) => ({ monotonic: () => clock.now() }));

export const fences = (replace: (fence: number, holder: string, clock: Clock) => unknown) =>
  answers('lease', (lease, _key, { holder }, clock) =>
    lease.granted ? { ...lease, fence: replace(lease.fence, holder, clock) } : lease,
  );

export const refusals = (change: (refusal: Extract<Result<'reserve'>, { granted: false }>) => object) =>
  answers('reserve', (result) => (result.granted ? result : change(result)));

export const COUNTS_LATE = as('recall', async (state, key, all, { count, ...request }, clock) => {
  const found = await state.recall(key, all, request, clock);
  await tick();
  if (count) await state.recall(key, all, { ...request, count }, clock);
  return found;
});

export const COMPARES_EARLY = as('set', async (state, key, value, { forMs, ifEquals }, clock) => {
  if (ifEquals !== undefined && (await state.get(key, clock)) !== ifEquals) return;
  if (ifEquals !== undefined) await tick();
  await state.set(key, value, { forMs }, clock);
});

export const RESERVES_LATE = made(() => {
  let taken = 0;
  return as('reserve', async (state, key, request, clock) => {
    const before = taken;
    await tick();
    if (before >= request.limit) return { granted: false, waitMs: 1000, reason: 'quota' };
    taken = before + 1;
    return state.reserve(key, { ...request, limit: 100 }, clock);
  });
});

/** The lease is read one step before it is written. */
export const leasesLate = (name: 'lease' | 'reserve') =>
  made(() => {
    let holder: string | undefined;
    return as(name, async (state, key, request, clock) => {
      const own = 'holder' in request ? request : request.lease;
      const isFree = holder === undefined || holder === own?.holder;
      await tick();
      if (!isFree) return { granted: false, waitMs: 1000, reason: 'leased' };
      holder = own?.holder;
      return 'holder' in request
        ? state.lease(`${key} ${holder}`, request, clock)
        : state.reserve(key, { limit: request.limit, holdMs: request.holdMs }, clock);
    });
  });

/** Settles what the call says only of slots for which `is` holds; `ends` has those that were granted. */
export const settlesIf = (is: (endsAt: number | undefined, clock: Clock) => boolean): Break => {
  return (state) => {
    const ends = new Map<string, number>();
    return {
      reserve: async (key, request, clock) => {
        const result = await state.reserve(key, request, clock);
        if (result.granted) ends.set(result.id, clock.monotonic() + request.holdMs);
        return result;
      },
      settle: (key, change, clock) =>
        is(ends.get(change.id ?? ''), clock) ? state.settle(key, change, clock) : undefined,
    };
  };
};

export const settles = (change: (settlement: Parts<'settle'>[1]) => Parts<'settle'>[1]) =>
  as('settle', (state, key, settlement, clock) => state.settle(key, change(settlement), clock));

export const handledOf = async (state: State, key: string, all: readonly string[], clock: Clock) => {
  const found = await state.recall(key, all, UNCHANGED, clock);
  return all.filter((_id, at) => found[at]?.handled);
};

export const attemptsOnly = (change: (parts: Parts<'mark'>) => Parts<'mark'>) =>
  as('mark', (state, ...parts) => state.mark(...('attempts' in parts[2] ? change(parts) : parts)));
