import { performance } from 'node:perf_hooks';
import * as timers from 'node:timers';
import { type Clock, sleepBy } from '../time/clock.js';
import { type Duration, durationMs } from './duration.js';
import { Holders } from './holders.js';
import { stillHint } from './still-hint.js';

interface Sleeper {
  readonly isBackground: boolean;
  readonly dueAt: number;
  readonly wake: () => void;
}

/** One turn of the real event loop. Bound at import, so that fake timers do not affect it. */
const { setImmediate } = timers;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const realNow = performance.now.bind(performance);

/** A turn counts at most this much: what keeps the event loop busy longer is work in progress. */
const MAX_TURN_MS = 50;

/** After this many event loop turns without a new sleeper, all work is waiting for the clock. */
const QUIET_TURNS = 2;

/**
 * A clock that only moves when a test moves it.
 *
 * `advance` wakes one sleeper at a time. Before it wakes the next one, it waits
 * until everything that the first one started has finished or sleeps again.
 * This includes requests of the client through MSW and real sockets. So a week of
 * polls takes seconds, and everything happens in the order of real time.
 *
 * The clock cannot see other asynchronous work, such as a listener that writes
 * to a file or a database. Such work must hold the clock: see `hold`.
 *
 * @example
 * ```ts
 * const clock = new ManualClock();
 * const mock = createMockHub({ clock });
 * const hub = new HubClient({ baseUrl: mock.baseUrl, ...mock.credentials, fetch: mock.fetch, clock });
 * await clock.advance('30s');
 * ```
 */
export class ManualClock implements Clock {
  #wall: number;
  #monotonic = 0;
  readonly #holders = new Holders(() => {
    this.#changes += 1;
  });
  /** Incremented by every sign of progress: a sleep begins or ends, a hold ends, a holder parks. */
  #changes = 0;
  #moving: Promise<void> = Promise.resolve();
  readonly #sleepers = new Set<Sleeper>();
  /** Moves that have been requested and are not over. */
  #moves = 0;
  readonly #watch = stillHint({
    changes: () => this.#changes,
    // A sleeper that never ends waits for an abort, not for the clock.
    waits: () =>
      this.#moves > 0
        ? []
        : [...this.#sleepers]
            .filter(({ isBackground, dueAt }) => !isBackground && Number.isFinite(dueAt))
            .map(({ dueAt }) => dueAt - this.#monotonic),
  });

  /**
   * @param startAt - the first wall time: epoch ms, an ISO 8601 string or a `Date`;
   *   default `'2026-01-05T12:00:00Z'`.
   * @throws {TypeError} `startAt` is not a date.
   */
  constructor(startAt: number | string | Date = '2026-01-05T12:00:00Z') {
    this.#wall = new Date(startAt).getTime();
    if (Number.isNaN(this.#wall)) {
      throw new TypeError('startAt is not a date; use epoch ms, an ISO 8601 string or a Date');
    }
  }

  /** The wall time, in epoch ms. */
  now(): number {
    return this.#wall;
  }

  /** The monotonic time, in ms; 0 at construction. `step` does not change it. */
  monotonic(): number {
    return this.#monotonic;
  }

  /** The number of pending `sleep` calls and timers that would keep a process alive. After `hub.close()` it should be 0. */
  get sleepers(): number {
    return [...this.#sleepers].filter(({ isBackground }) => !isBackground).length;
  }

  /**
   * Resolves when a test has advanced the clock by `ms`. Rejects with the
   * signal's reason if the signal aborts first.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepBy((delayMs, onDue) => this.timer(delayMs, onDue), ms, signal);
  }

  /**
   * Calls `onDue` when a test has advanced the clock by `ms`.
   *
   * @returns a function that cancels the timer.
   */
  timer(ms: number, onDue: () => void, isBackground = false): () => void {
    const remove = () => {
      if (this.#sleepers.delete(sleeper)) this.#changes += 1;
    };
    const sleeper: Sleeper = {
      isBackground,
      dueAt: this.#monotonic + Math.max(0, ms),
      wake: () => {
        remove();
        onDue();
      },
    };
    this.#sleepers.add(sleeper);
    this.#changes += 1;
    this.#watch();
    return remove;
  }

  /**
   * Makes `advance` wait for work that the clock cannot see.
   *
   * @example
   * ```ts
   * const release = clock.hold();
   * try {
   *   await writeFile(path, text);
   * } finally {
   *   release();
   * }
   * ```
   *
   * @returns a function that ends the hold.
   */
  hold(): () => void {
    return this.#holders.hold();
  }

  /**
   * Marks one holder as itself asleep on this clock, so that `advance` does not
   * wait for it. The mock hub uses this while it delays a response.
   *
   * @returns a function that ends the mark.
   */
  park(): () => void {
    return this.#holders.park();
  }

  /**
   * Moves the wall clock and the monotonic clock forward, and wakes every
   * sleeper that becomes due, in order.
   *
   * @param duration - ms, or a string such as `'30s'`, `'1h30m'` or `'7d'`.
   * @returns resolves when the clock has moved and the work it started is done.
   * @throws {TypeError} `duration` is not a duration.
   */
  advance(duration: Duration): Promise<void> {
    const ms = durationMs(duration);
    return this.#move(() => this.#advance(ms));
  }

  /**
   * Simulates a machine that is suspended, such as a closed laptop: both clocks
   * jump, and the sleepers that became due meanwhile all wake late, afterwards.
   *
   * @param duration - as for `advance`.
   */
  suspend(duration: Duration): Promise<void> {
    const ms = durationMs(duration);
    return this.#move(async () => {
      await this.#settle();
      this.#moveTo(this.#monotonic + ms);
      await this.#advance(0);
    });
  }

  /**
   * Steps only the wall clock, as a time server does; back if `ms` is negative. Wakes no sleeper.
   * @throws {TypeError} `ms` is not a number.
   */
  step(ms: number): void {
    if (!Number.isFinite(ms)) throw new TypeError('ms must be a number of milliseconds, such as -60_000');
    this.#wall += ms;
  }

  /** Runs one move after the other, also if a move failed. */
  #move(move: () => Promise<void>): Promise<void> {
    this.#moves += 1;
    const moved = this.#moving.then(move).finally(() => {
      this.#moves -= 1;
      this.#changes += 1;
      if (this.#sleepers.size > 0) this.#watch();
    });
    this.#moving = moved.catch(() => {});
    return moved;
  }

  async #advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await this.#settle();
    for (let next = this.#nextSleeper(end); next; next = this.#nextSleeper(end)) {
      // Never backwards: after `suspend`, sleepers are overdue.
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

  #nextSleeper(end: number): Sleeper | undefined {
    let next: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (sleeper.dueAt <= end && (!next || sleeper.dueAt < next.dueAt)) next = sleeper;
    }
    return next;
  }

  /** Waits until no work is running that could still start a sleep. */
  async #settle(): Promise<void> {
    let seen = this.#changes;
    let quietTurns = 0;
    let stillMs = 0;
    while (quietTurns < QUIET_TURNS) {
      const turnedAt = realNow();
      await turn();
      if (seen !== this.#changes) {
        seen = this.#changes;
        stillMs = 0;
        quietTurns = 0;
      } else if (this.#holders.areWaitedFor) {
        quietTurns = 0;
        stillMs += Math.min(realNow() - turnedAt, MAX_TURN_MS);
        if (this.#holders.hangAfter(stillMs)) return;
      } else quietTurns += 1;
    }
  }
}
