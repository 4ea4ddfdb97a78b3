import * as timers from 'node:timers';

/** Bound at import, so that fake timers do not affect it. */
const { setTimeout: realTimeout } = timers;

/** After this many looks without progress; together shorter than the five seconds after which vitest and jest end a test. */
const LOOKS = 3;
/** In real time. */
const LOOK_MS = 1000;

interface WatchedClock {
  /** The waits of the sleepers, in ms of the clock; empty while the clock moves. */
  readonly waits: () => readonly number[];
  /** Grows with every sign of progress. */
  readonly changes: () => number;
}

/** One hint is enough: with the second test that forgets to advance, it would be noise. */
let isShown = false;

/**
 * Warns once if nobody advances a manual clock: work waits for it, and for three to
 * four real seconds nothing has happened. This is mostly an `await` before the
 * `advance` that it needs, and the runner would report only a time-out.
 *
 * The real timer does not keep the process alive. One at most is running.
 *
 * @returns what to call when a sleep begins, and when the clock has moved.
 */
export function stillHint({ waits, changes }: WatchedClock): () => void {
  let isWatching = false;
  const lookAgain = (seen: number, look: number) => {
    realTimeout(() => {
      const waiting = waits();
      if (waiting.length === 0 || isShown) {
        isWatching = false;
        return;
      }
      const now = changes();
      if (now !== seen) lookAgain(now, 1);
      else if (look < LOOKS) lookAgain(seen, look + 1);
      else show(waiting);
    }, LOOK_MS).unref();
  };
  return () => {
    if (isWatching || isShown) return;
    isWatching = true;
    lookAgain(changes(), 1);
  };
}

function show(waits: readonly number[]): void {
  isShown = true;
  const wait = shownWait(Math.min(...waits));
  const sleepers = waits.length === 1 ? '1 sleeper' : `${waits.length} sleepers, the first`;
  process.emitWarning(
    `nothing will happen until you advance the ManualClock; ${sleepers} due in ${wait}. If a test awaits a call that waits, advance first: const promise = call(); await clock.advance('${wait.replace(' ', '')}'); await promise`,
    { type: 'OpenDeliveryWarning', code: 'OPENDELIVERY_MANUAL_CLOCK' },
  );
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** Rounded up, so that it is long enough to advance: `'30 s'`. */
function shownWait(ms: number): string {
  const [unit, length] = UNITS.find(([, each]) => ms > 2 * each) ?? ['s', 1000];
  return `${Math.max(1, Math.ceil(ms / length))} ${unit}`;
}
