import { type Clock, type State, systemClock } from 'opendelivery-client';

/** An instant of real time that all processes of a test share, and how much faster their time runs. */
export interface Epoch {
  readonly startedAt: number;
  readonly factor: number;
}

/** Scaled time that several processes share: it counts from one instant, not from the start of each process. */
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

/** Scaled time for a state that uses its own clock, as Redis does: its durations are divided by the factor. */
export function scaledState(state: State, factor: number): State {
  const shorter = (ms: number) => Math.ceil(ms / factor);
  return {
    get: (key, clock) => state.get(key, clock),
    set: (key, value, options, clock) =>
      state.set(key, value, { ...options, forMs: shorter(options.forMs) }, clock),
    async reserve(key, request, clock) {
      const { holdMs, lease } = request;
      const scaled = {
        ...request,
        holdMs: shorter(holdMs),
        lease: lease && { ...lease, leaseMs: shorter(lease.leaseMs) },
      };
      const reservation = await state.reserve(key, scaled, clock);
      if (reservation.granted) return reservation;
      return { ...reservation, waitMs: reservation.waitMs * factor };
    },
    settle: (key, { id, freeInMs = 0, shutMs = 0 }, clock) =>
      state.settle(key, { id, freeInMs: shorter(freeInMs), shutMs: shorter(shutMs) }, clock),
    recall: (key, ids, { handledMs, attemptedMs, count }, clock) =>
      state.recall(
        key,
        ids,
        { handledMs: shorter(handledMs), attemptedMs: shorter(attemptedMs), count },
        clock,
      ),
    mark: (key, ids, change, clock) =>
      state.mark(key, ids, { ...change, forMs: shorter(change.forMs) }, clock),
    async lease(key, request, clock) {
      const lease = await state.lease(key, { ...request, leaseMs: shorter(request.leaseMs) }, clock);
      return lease.granted ? lease : { ...lease, waitMs: lease.waitMs * factor };
    },
  };
}
