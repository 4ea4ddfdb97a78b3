/**
 * All the time this package knows. Instants are epoch milliseconds, durations
 * milliseconds; `monotonic` has no meaning but in differences.
 */
export interface Clock {
  /** Wall time in epoch milliseconds; may step in both directions. */
  now(): number;
  /** Milliseconds that only ever grow; may stand still while a machine sleeps. */
  monotonic(): number;
  /**
   * Resolves when `ms` have passed on `monotonic`, never earlier.
   *
   * @throws the signal's reason, when it aborts first.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Says that work is under way which virtual time has to wait for, until the
   * returned function is called. Real clocks leave it out.
   */
  hold?(): () => void;
}

/** Clocks of two machines, and of one before and after it is set, may differ by this much. */
const CLOCK_SKEW_MS = 5 * 60_000;

/** Dated by a clock that was wrong, or is by now: the age of such a thing cannot be known. */
export function isFromFuture(at: number, clock: Clock): boolean {
  return at - clock.now() > CLOCK_SKEW_MS;
}

/** Longer timers overflow in Node and fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Node cuts fractions of a millisecond off its timers, so a timer may fire this much too early. */
const TIMER_SLACK_MS = 2;

/**
 * Real time. Every global is looked up when it is called, so the fake timers
 * of a test runner drive it.
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
        // More than the slack is no early timer but a fake one over a real performance.now().
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
