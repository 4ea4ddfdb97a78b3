import type { Clock, ReservationRequest, Settlement, State } from 'opendelivery-client';
import type { Break } from './fault.js';

export const reserves =
  (
    reserve: (
      state: State,
      key: string,
      request: ReservationRequest,
      clock: Clock,
    ) => ReturnType<State['reserve']>,
  ): Break =>
  (state) => ({ reserve: (key, request, clock) => reserve(state, key, request, clock) });

export const requests = (change: (request: ReservationRequest) => ReservationRequest): Break =>
  reserves((state, key, request, clock) => state.reserve(key, change(request), clock));

export const settles =
  (change: (settlement: Settlement) => Settlement): Break =>
  (state) => ({ settle: (key, settlement, clock) => state.settle(key, change(settlement), clock) });

/** Knows when each granted slot ends, without the changes by `settle`. */
export function remembering(state: State) {
  const ends = new Map<string, number>();
  const reserve: State['reserve'] = async (key, request, clock) => {
    const result = await state.reserve(key, request, clock);
    if (result.granted) ends.set(result.id, clock.monotonic() + request.holdMs);
    return result;
  };
  return { ends, reserve };
}
