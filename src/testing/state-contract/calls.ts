import { type Clock, systemClock } from '../../clock.js';
import {
  type Lease,
  type LeaseRequest,
  type Mark,
  type MarkChange,
  type MaybePromise,
  type RecallRequest,
  type Reservation,
  type ReservationRequest,
  type SetOptions,
  type Settlement,
  STATE_METHODS,
  type State,
} from '../../state/port.js';

/** The methods of a state without the clock. A call that rejects or takes too long throws an Error that names the method. */
export interface Calls {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string | undefined, options: SetOptions): Promise<void>;
  reserve(key: string, request: ReservationRequest): Promise<Reservation>;
  settle(key: string, change: Settlement): Promise<void>;
  lease(key: string, request: LeaseRequest): Promise<Lease>;
  recall(key: string, ids: readonly string[], request: RecallRequest): Promise<readonly Mark[]>;
  mark(key: string, ids: readonly string[], change: MarkChange): Promise<void>;
}

/** A promise of a state must settle within this time. */
const MAX_CALL_MS = 5000;

export function callsOf(state: State, clock: Clock): Calls {
  const methods = STATE_METHODS.map((name) => [
    name,
    (...parameters: unknown[]) =>
      bounded(name, () => (state[name] as (...all: unknown[]) => unknown)(...parameters, clock)),
  ]);
  return Object.fromEntries(methods) as Calls;
}

async function bounded(name: keyof State, call: () => MaybePromise<unknown>): Promise<unknown> {
  const waiting = new AbortController();
  const timeout = systemClock.sleep(MAX_CALL_MS, waiting.signal).then(
    () => {
      throw new Error(`its promise did not settle within ${MAX_CALL_MS} ms`);
    },
    () => undefined,
  );
  try {
    return await Promise.race([call(), timeout]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${name} must not fail here, but it did: ${reason}`, { cause: error });
  } finally {
    waiting.abort();
  }
}
