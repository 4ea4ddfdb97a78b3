/** The only source of time in this package. */
export interface Clock {
  /** Wall time in epoch milliseconds. It may step forwards and backwards. */
  now(): number;
  /** Milliseconds since an arbitrary start. It never goes backwards, and may pause while the machine is suspended. */
  monotonic(): number;
  /**
   * Resolves when `ms` milliseconds have passed on `monotonic`, never earlier.
   *
   * @throws the signal's reason, if it aborts first.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `onDue` once, when `ms` milliseconds have passed on `monotonic`, never
   * earlier. A clock without it may be passed too: its timers are made of `sleep`.
   *
   * @param isBackground - it must not keep the process alive. A clock may ignore it.
   * @returns a function that cancels the timer, and has no effect after `onDue`.
   */
  timer?(ms: number, onDue: () => void, isBackground?: boolean): () => void;
  /**
   * Keeps virtual time from advancing until the returned function is called,
   * because work is in progress that takes real time. Only clocks of tests have it.
   */
  hold?(): () => void;
}

/** A moment, on both clocks. */
export interface Moment {
  /** Of the monotonic clock, in ms. */
  readonly monotonic: number;
  /** Of the wall clock, in epoch ms. */
  readonly wall: number;
}

export function momentOf(clock: Clock): Moment {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/** The time since a moment, in ms. `monotonic` may pause, and `now` may be set back, so the clock that shows more decides. */
export function elapsedMs(since: Moment, clock: Clock): number {
  return Math.max(clock.monotonic() - since.monotonic, clock.now() - since.wall);
}

/** The clocks of two machines, or one clock before and after it was set, may differ by this much. */
const CLOCK_SKEW_MS = 5 * 60_000;

/** Whether an instant is so far in the future that this clock, or the one that recorded it, is wrong. Its age is unknown then. */
export function isFromFuture(at: number, clock: Clock): boolean {
  return at - clock.now() > CLOCK_SKEW_MS;
}

/**
 * The first whole millisecond that is at least `ms` after `now`. The sum of two
 * fractions may be rounded down, and a slot that frees too early by the smallest
 * fraction is one request too many at the hub.
 */
export function instantAfter(now: number, ms: number): number {
  return Math.ceil(now) + Math.ceil(ms);
}

/** `sleep` of a clock that has timers. */
export function sleepBy(
  timer: NonNullable<Clock['timer']>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = timer(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** In Node, a longer timer overflows and fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Node truncates fractions of a millisecond, so a timer may fire up to this much too early. */
const TIMER_SLACK_MS = 2;

/** A timer this late was held up by work that kept the event loop busy, as were the replies that have come meanwhile. */
const LATE_MS = 100;

/** The function of the platform: what replaces it has no event loop to wait for. */
const platformTimeout = globalThis.setTimeout;

/** What fake timers have skipped while `performance.now()` was real: those of `node:test` cannot fake it. It only grows. */
let skippedMs = 0;

const monotonicMs = () => performance.now() + skippedMs;

/** A timer of `systemClock`. */
export function realTimer(ms: number, onDue: () => void, isBackground = false): () => void {
  const dueAt = monotonicMs() + ms;
  let unarmedMs = Math.max(0, ms);
  let isDeferred = false;
  let timer: ReturnType<typeof setTimeout>;
  const arm = (delayMs: number) => {
    unarmedMs -= delayMs;
    timer = setTimeout(onTimer, delayMs);
    // In a browser and in Workers, a timer is a number.
    if (isBackground) (timer as Partial<NodeJS.Timeout>).unref?.();
  };
  const onTimer = () => {
    const earlyMs = dueAt - monotonicMs();
    if (unarmedMs > 0) arm(Math.min(unarmedMs, MAX_TIMER_MS));
    else if (earlyMs > 0 && earlyMs <= TIMER_SLACK_MS) arm(Math.ceil(earlyMs));
    else if (earlyMs < -LATE_MS && !isDeferred && setTimeout === platformTimeout) {
      // A time limit does not end what is answered already: the event loop reads the replies first.
      isDeferred = true;
      arm(0);
    } else {
      // A timer that is earlier than that is a fake one.
      skippedMs += Math.max(0, earlyMs);
      onDue();
    }
  };
  arm(Math.min(unarmedMs, MAX_TIMER_MS));
  return () => clearTimeout(timer);
}

/**
 * Real time. It reads the globals at each call, so that the fake timers of a
 * test runner control it.
 */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonic: monotonicMs,
  sleep: (ms: number, signal?: AbortSignal) => sleepBy(realTimer, ms, signal),
  timer: realTimer,
});

/**
 * Calls `onDue`, which must not throw, after `ms` on the clock.
 *
 * @param isBackground - the timer does not keep the process alive, if the clock can do that.
 * @returns a function that cancels the timer, and has no effect after `onDue`.
 */
export function startTimer(clock: Clock, ms: number, onDue: () => void, isBackground = false): () => void {
  // It would never be due, and would keep the process alive.
  if (ms === Number.POSITIVE_INFINITY) return () => {};
  const delayMs = Math.max(0, ms);
  return clock.timer ? clock.timer(delayMs, onDue, isBackground) : timerOfSleep(clock, delayMs, onDue);
}

/** For a clock that an application has made. */
function timerOfSleep(clock: Clock, ms: number, onDue: () => void): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  clock.sleep(ms, signal).then(
    () => {
      if (!signal.aborted) onDue();
    },
    () => {},
  );
  return () => controller.abort();
}

/** Time limits of one length, with one timer for all of them. */
export class Deadlines<Item> {
  readonly #clock: Clock;
  readonly #lengthMs: number;
  readonly #onOver: (item: Item) => void;
  /** When each is over, in monotonic ms, the oldest first. */
  readonly #endsAt = new Map<Item, number>();
  #cancelTimer: (() => void) | undefined;

  /** @param onOver - called once for each item whose time is over; it must not throw. */
  constructor(clock: Clock, lengthMs: number, onOver: (item: Item) => void) {
    this.#clock = clock;
    this.#lengthMs = lengthMs;
    this.#onOver = onOver;
  }

  add(item: Item): void {
    this.#endsAt.set(item, this.#clock.monotonic() + this.#lengthMs);
    this.#cancelTimer ??= startTimer(this.#clock, this.#lengthMs, this.#onTimer);
  }

  delete(item: Item): void {
    this.#endsAt.delete(item);
  }

  /** Stops the timer, if nothing is left. Not at once, because many items come and go. */
  stopTimer(): void {
    if (this.#endsAt.size > 0) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  readonly #onTimer = (): void => {
    const now = this.#clock.monotonic();
    for (const [item, endsAt] of this.#endsAt) {
      if (endsAt > now) {
        this.#cancelTimer = startTimer(this.#clock, endsAt - now, this.#onTimer);
        return;
      }
      this.#endsAt.delete(item);
      this.#onOver(item);
    }
    this.#cancelTimer = undefined;
  };
}
