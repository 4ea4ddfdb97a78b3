import { ENDPOINTS, type EndpointName } from '../endpoints.js';

/** A rule of the spec that the client has broken. */
export interface Violation {
  readonly rule:
    | 'limit'
    | 'retry-after'
    | 'acknowledgment-size'
    | 'acknowledgment-body'
    | 'content-type'
    | 'unknown-path'
    | 'event-filter';
  readonly endpoint: EndpointName | undefined;
  /** Epoch ms. */
  readonly at: number;
  readonly message: string;
}

/** One store's requests to one endpoint, counted as Spec §8 says. */
export class Quota {
  readonly #endpoint: EndpointName;
  readonly #windows: 'sliding' | 'fixed';
  #times: number[] = [];

  constructor(endpoint: EndpointName, windows: 'sliding' | 'fixed') {
    this.#endpoint = endpoint;
    this.#windows = windows;
  }

  get limit(): number {
    return ENDPOINTS[this.#endpoint].limit;
  }

  /** Counts a request unless the limit is reached. */
  take(now: number): boolean {
    this.#forget(now);
    if (this.#times.length >= this.limit) return false;
    this.#times.push(now);
    return true;
  }

  remaining(now: number): number {
    this.#forget(now);
    return Math.max(0, this.limit - this.#times.length);
  }

  /** Until a slot frees, in ms; until the window ends where windows are fixed. */
  resetMs(now: number): number {
    const { windowMs } = ENDPOINTS[this.#endpoint];
    if (this.#windows === 'fixed') return windowMs - (now % windowMs);
    const [oldest = now - windowMs] = this.#times;
    return oldest + windowMs - now;
  }

  #forget(now: number): void {
    const { windowMs } = ENDPOINTS[this.#endpoint];
    const since = this.#windows === 'fixed' ? now - (now % windowMs) : now - windowMs;
    const gone = this.#times.findIndex((time) => (this.#windows === 'fixed' ? time >= since : time > since));
    this.#times = gone === -1 ? [] : this.#times.slice(gone);
  }
}
