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

/**
 * The same clock as another object. Its timers belong to one client: those of
 * an earlier test, under fake timers, do not hold up the next one.
 */
export function ownClock(clock: Clock): Clock {
  return clock.hold ? new VirtualClock(clock) : new OwnClock(clock);
}

class OwnClock implements Clock {
  protected readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  now(): number {
    return this.clock.now();
  }

  monotonic(): number {
    return this.clock.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.clock.sleep(ms, signal);
  }
}

class VirtualClock extends OwnClock {
  hold(): () => void {
    return this.clock.hold?.() ?? (() => {});
  }
}

/** In Node, a longer timer overflows and fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Node truncates fractions of a millisecond, so a timer may fire up to this much too early. */
const TIMER_SLACK_MS = 2;

/**
 * Real time. It reads the globals at each call, so that the fake timers of a
 * test runner control it.
 */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const dueAt = performance.now() + ms;
      let unarmedMs = Math.max(0, ms);
      let timer: ReturnType<typeof setTimeout>;
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const arm = (delayMs: number) => {
        unarmedMs -= delayMs;
        timer = setTimeout(onTimer, delayMs);
      };
      const onTimer = () => {
        const earlyMs = dueAt - performance.now();
        if (unarmedMs > 0) arm(Math.min(unarmedMs, MAX_TIMER_MS));
        // A timer that is earlier than that is a fake one, while performance.now() is real.
        else if (earlyMs > 0 && earlyMs <= TIMER_SLACK_MS) arm(Math.ceil(earlyMs));
        else {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        }
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      arm(Math.min(unarmedMs, MAX_TIMER_MS));
    });
  },
});
