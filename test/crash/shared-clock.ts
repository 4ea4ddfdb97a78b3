import { type Clock, type State, systemClock } from 'opendelivery-client';

/** A moment of the actual world, the same for every process of a test, and how much faster its time runs. */
export interface Epoch {
  readonly startedAt: number;
  readonly factor: number;
}

/** Scaled time that several processes agree on: it counts from one moment, not from each process's start. */
export function sharedClock({ startedAt, factor }: Epoch): Clock {
  const monotonic = () => (systemClock.now() - startedAt) * factor;
  return {
    now: () => startedAt + monotonic(),
    monotonic,
    async sleep(ms, signal) {
      const dueAt = monotonic() + ms;
      do await systemClock.sleep(Math.max(1, (dueAt - monotonic()) / factor), signal);
      while (monotonic() < dueAt);
    },
  };
}

/** A state that counts by a clock of its own, as Redis does, in scaled time: its durations are made as much shorter. */
export function scaledState(state: State, factor: number): State {
  const shorter = (ms: number) => Math.ceil(ms / factor);
  return {
    get: (key, clock) => state.get(key, clock),
    set: (key, value, forMs, clock) => state.set(key, value, shorter(forMs), clock),
    delete: (key, expected, clock) => state.delete(key, expected, clock),
    async reserve(key, request, clock) {
      const { holdMs, lease } = request;
      const scaled = {
        ...request,
        holdMs: shorter(holdMs),
        lease: lease && { ...lease, leaseMs: shorter(lease.leaseMs) },
      };
      const answer = await state.reserve(key, scaled, clock);
      return answer.granted ? answer : { ...answer, waitMs: answer.waitMs * factor };
    },
    settle: (key, id, freeInMs, clock) => state.settle(key, id, shorter(freeInMs), clock),
    shut: (key, forMs, clock) => state.shut(key, shorter(forMs), clock),
    remember: (key, ids, forMs, clock) => state.remember(key, ids, shorter(forMs), clock),
    recall: (key, ids, { handledMs, attemptedMs }, clock) =>
      state.recall(key, ids, { handledMs: shorter(handledMs), attemptedMs: shorter(attemptedMs) }, clock),
    async lease(key, request, clock) {
      const answer = await state.lease(key, { ...request, leaseMs: shorter(request.leaseMs) }, clock);
      return answer.granted ? answer : { ...answer, waitMs: answer.waitMs * factor };
    },
    release: (key, holder, clock) => state.release(key, holder, clock),
    count: (key, ids, by, forMs, clock) => state.count(key, ids, by, shorter(forMs), clock),
  };
}
