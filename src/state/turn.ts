import type { Clock } from '../clock.js';
import type { Reservation, State } from '../state/port.js';

/** A process that dies in its turn, or a state that refuses everything, holds up the others for so long. */
const TURN_MS = 30_000;

/** How often those who wait look whether they still have to. */
const LOOK_MS = 500;

export interface TurnOptions<Result> {
  readonly state: State;
  readonly key: string;
  readonly clock: Clock;
  /** Waits, and rejects when waiting is no use any more. */
  readonly pause: (ms: number) => Promise<void>;
  /** What another one's turn has come to, if it will do. */
  readonly look: () => Promise<Result | undefined>;
  readonly work: () => Promise<Result>;
}

/** Of all processes that share a state one works at a time; the others take what it got. */
export async function inTurn<Result>(options: TurnOptions<Result>): Promise<Result> {
  const { key, state, clock, pause, look, work } = options;
  const waitsUntil = clock.monotonic() + TURN_MS;
  while (true) {
    const found = await look();
    if (found !== undefined) return found;
    const turn = await reserve(options);
    if (turn?.granted === false && clock.monotonic() < waitsUntil) {
      await pause(Math.min(turn.waitMs, LOOK_MS));
      continue;
    }
    try {
      return await work();
    } finally {
      if (turn?.granted) await ignoreFailure(() => state.settle(key, turn.id, 0, clock));
    }
  }
}

/** @returns undefined where the state is out of reach: then there are no turns. */
async function reserve({ state, key, clock }: TurnOptions<unknown>): Promise<Reservation | undefined> {
  try {
    return await state.reserve(key, { limit: 1, holdMs: TURN_MS }, clock);
  } catch {
    return undefined;
  }
}

async function ignoreFailure(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {
    // The turn ends by itself.
  }
}
