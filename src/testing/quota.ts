import type { Endpoint } from '../hub/endpoints.js';

/** Counts the requests of one store to one endpoint against its limit (Spec §8). */
export class Quota {
  readonly limit: number;
  readonly windowMs: number;
  readonly #windows: 'sliding' | 'fixed';
  /** The requests in the present window, in monotonic ms. */
  #times: number[] = [];

  constructor({ limit, windowMs }: Endpoint, windows: 'sliding' | 'fixed') {
    this.limit = limit;
    this.windowMs = windowMs;
    this.#windows = windows;
  }

  /** When the requests in the present window arrived, oldest first, in monotonic ms. */
  times(now: number): readonly number[] {
    const isFixed = this.#windows === 'fixed';
    const since = isFixed ? now - (now % this.windowMs) : now - this.windowMs;
    const kept = this.#times.findIndex((time) => (isFixed ? time >= since : time > since));
    this.#times = kept === -1 ? [] : this.#times.slice(kept);
    return this.#times;
  }

  /** Counts a request; false, without counting it, if the limit is reached. */
  take(now: number): boolean {
    if (this.remaining(now) === 0) return false;
    this.#times.push(now);
    return true;
  }

  remaining(now: number): number {
    return this.limit - this.times(now).length;
  }

  /** Milliseconds until a slot becomes free. With fixed windows: until the window ends. */
  resetMs(now: number): number {
    if (this.#windows === 'fixed') return this.windowMs - (now % this.windowMs);
    const [oldest = now - this.windowMs] = this.#times;
    return oldest + this.windowMs - now;
  }
}
