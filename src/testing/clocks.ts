import { performance } from 'node:perf_hooks';
import * as timers from 'node:timers';
import { type Clock, systemClock } from '../clock.js';

/** Milliseconds, or a text such as `'30s'`, `'7d'`, `'1h30m'`, `'250ms'`. */
export type Duration = number | string;

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** @throws {TypeError} it is no duration. */
export function durationMs(duration: Duration): number {
  const given = typeof duration === 'number' ? `${duration}ms` : String(duration).replaceAll(' ', '');
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(given)) {
    throw new TypeError(`${JSON.stringify(duration)} is no duration; write 250, '30s', '1h30m' or '7d'`);
  }
  let ms = 0;
  for (const [, count, unit] of given.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)) {
    ms += Number(count) * (UNIT_MS[unit as string] as number);
  }
  return ms;
}

interface Sleeper {
  readonly dueAt: number;
  readonly wake: () => void;
}

/** A turn of the event loop, whatever a test runner has put in place of the globals, and does later. */
const { setImmediate } = timers;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const realNow = performance.now.bind(performance);

/** Work that shows no progress for this long in real time is taken for hanging. */
const MAX_STILL_MS = 5000;

/** So many turns without a new sleeper mean that everything waits for time. */
const QUIET_TURNS = 2;

/**
 * Time that stands still until a test moves it.
 *
 * `advance` fires one sleeper at a time and lets what it set off run on to the
 * next wait, the client's exchanges over MSW and real sockets included, before
 * the next fires. So a week passes in the order in which it would have.
 *
 * Of other work it knows nothing: a listener that writes to a file or a
 * database holds the clock meanwhile (`const release = clock.hold()`).
 */
export class ManualClock implements Clock {
  #wall: number;
  #monotonic = 0;
  #held = 0;
  #parked = 0;
  #changes = 0;
  #moving: Promise<void> = Promise.resolve();
  readonly #sleepers = new Set<Sleeper>();

  /** @param startAt - the wall time it begins at, in epoch ms or as a date. */
  constructor(startAt: number | string | Date = '2026-01-05T12:00:00Z') {
    this.#wall = new Date(startAt).getTime();
    if (Number.isNaN(this.#wall)) throw new TypeError('startAt is no date');
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  /** How many sleepers wait. */
  get sleepers(): number {
    return this.#sleepers.size;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const leave = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', onAbort);
        this.#changes += 1;
      };
      const onAbort = () => {
        leave();
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        dueAt: this.#monotonic + Math.max(0, ms),
        wake: () => {
          leave();
          resolve();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#sleepers.add(sleeper);
      this.#changes += 1;
    });
  }

  /** Makes `advance` wait until the returned function is called. */
  hold(): () => void {
    this.#held += 1;
    return once(() => {
      this.#held -= 1;
      this.#changes += 1;
    });
  }

  /** Says that one who is held waits for this very clock, until the returned function is called. */
  park(): () => void {
    this.#parked += 1;
    this.#changes += 1;
    return once(() => {
      this.#parked -= 1;
    });
  }

  /** Moves both clocks, firing every sleeper that comes due on the way. */
  advance(duration: Duration): Promise<void> {
    const ms = durationMs(duration);
    const moved = this.#moving.then(() => this.#advance(ms));
    this.#moving = moved.catch(() => {});
    return moved;
  }

  /**
   * Sleeps like a machine whose lid is closed: both clocks leap, and what came
   * due meanwhile fires afterwards, late and all at once.
   */
  suspend(duration: Duration): Promise<void> {
    const ms = durationMs(duration);
    const moved = this.#moving.then(async () => {
      await this.#settle();
      this.#moveTo(this.#monotonic + ms);
      await this.#advance(0);
    });
    this.#moving = moved.catch(() => {});
    return moved;
  }

  /** Steps the wall clock alone, in either direction, as a time server does. */
  step(ms: number): void {
    this.#wall += ms;
  }

  async #advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await this.#settle();
    for (let next = this.#next(end); next; next = this.#next(end)) {
      // Never backwards: after a suspension sleepers are late.
      this.#moveTo(Math.max(next.dueAt, this.#monotonic));
      next.wake();
      await this.#settle();
    }
    this.#moveTo(end);
  }

  #moveTo(monotonic: number): void {
    this.#wall += monotonic - this.#monotonic;
    this.#monotonic = monotonic;
  }

  #next(end: number): Sleeper | undefined {
    let next: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (sleeper.dueAt <= end && (!next || sleeper.dueAt < next.dueAt)) next = sleeper;
    }
    return next;
  }

  /** Until nothing is under way that could still ask for time. */
  async #settle(): Promise<void> {
    let seen = this.#changes;
    let quietTurns = 0;
    let changedAt = realNow();
    while (quietTurns < QUIET_TURNS) {
      await turn();
      if (seen !== this.#changes) {
        seen = this.#changes;
        changedAt = realNow();
        quietTurns = 0;
      } else if (this.#held > this.#parked) {
        quietTurns = 0;
        if (realNow() - changedAt > MAX_STILL_MS) return;
      } else quietTurns += 1;
    }
  }
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}

/**
 * Real time, `factor` times as fast, for the wall and the monotonic clock
 * alike: an evening in seconds. Give the same one to client and mock hub.
 */
export function scaledClock(factor: number): Clock {
  if (!(factor > 0) || !Number.isFinite(factor)) throw new TypeError('factor must be a number above 0');
  const startedAt = systemClock.now();
  const startedMonotonic = systemClock.monotonic();
  const monotonic = () => (systemClock.monotonic() - startedMonotonic) * factor;
  return {
    now: () => startedAt + monotonic(),
    monotonic,
    async sleep(ms, signal) {
      const dueAt = monotonic() + ms;
      // A real sleep may end a fraction of a millisecond early, which is seconds here.
      do await systemClock.sleep(Math.max(0, dueAt - monotonic()) / factor, signal);
      while (monotonic() < dueAt);
    },
  };
}

/** Sleeps on a clock on behalf of one who is held by it: a mock hub in the middle of an exchange. */
export async function sleepParked(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  const unpark = clock instanceof ManualClock ? clock.park() : undefined;
  await clock.sleep(ms, signal).finally(unpark);
}
