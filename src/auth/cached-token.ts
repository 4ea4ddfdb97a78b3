import { type Clock, isFromFuture } from '../clock.js';
import { TOKEN_LIFETIME_MS } from '../endpoints.js';
import { InvalidResponseError } from '../errors.js';
import type { Received } from '../http/request.js';
import { readJson } from '../http/response.js';
import { lenientReader } from '../reading/lenient.js';
import { tokenResponseSchema } from '../schemas/token.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What is assumed where the hub does not say how long a token lives. */
const ASSUMED_LIFETIME_MS = HOUR_MS;

/** No token is believed to live longer. */
const LONGEST_LIFETIME_MS = 52 * TOKEN_LIFETIME_MS;

/** No server takes a header that is longer. */
const MAX_TOKEN_LENGTH = 16_384;

const readToken = lenientReader(tokenResponseSchema);

/** A token and its age on both clocks: a step of the wall clock or a sleep of the machine deceives only one. */
export class CachedToken {
  readonly value: string;
  readonly lifetimeMs: number;
  /** Epoch ms; counted from the start of the request. */
  readonly obtainedAt: number;
  readonly #obtainedMonotonic: number;
  readonly #renewBeforeMs: number;

  private constructor(value: string, lifetimeMs: number, obtainedAt: number, obtainedMonotonic: number) {
    this.value = value;
    this.lifetimeMs = lifetimeMs;
    this.obtainedAt = obtainedAt;
    this.#obtainedMonotonic = obtainedMonotonic;
    // Up to a fifth later than the window begins, so that many stores do not renew in one minute.
    this.#renewBeforeMs = Math.min(12 * HOUR_MS, lifetimeMs / 10) * (1 - Math.random() / 5);
  }

  /** @throws {InvalidResponseError} there is no token in the answer, or none that can stand in a header. */
  static read(answer: Received): CachedToken {
    const reading = readToken(readJson('token', answer));
    const { issues } = reading;
    if (!reading.usable) {
      throw new InvalidResponseError('token', 'there is no usable access_token in the answer', { issues });
    }
    const fault = faultOf(reading.value.access_token);
    if (fault) throw new InvalidResponseError('token', `the access_token ${fault}`, { issues });
    const { access_token: value, expires_in: expiresIn } = reading.value;
    const { startedAt, startedMonotonic } = answer;
    return new CachedToken(value, lifetimeOf(expiresIn, startedAt), startedAt, startedMonotonic);
  }

  /** From the text that `toRecord` gave, maybe in another process; what is none, is a miss. */
  static restore(record: string, clock: Clock): CachedToken | undefined {
    try {
      const { value, obtainedAt, lifetimeMs } = JSON.parse(record) as Record<string, unknown>;
      if (typeof value !== 'string' || faultOf(value)) return undefined;
      if (typeof obtainedAt !== 'number' || typeof lifetimeMs !== 'number') return undefined;
      if (!(lifetimeMs > 0 && lifetimeMs <= LONGEST_LIFETIME_MS)) return undefined;
      if (isFromFuture(obtainedAt, clock)) return undefined;
      const ageMs = Math.max(0, clock.now() - obtainedAt);
      return new CachedToken(value, lifetimeMs, obtainedAt, clock.monotonic() - ageMs);
    } catch {
      return undefined;
    }
  }

  toRecord(): string {
    const { value, obtainedAt, lifetimeMs } = this;
    return JSON.stringify({ value, obtainedAt, lifetimeMs });
  }

  /** Epoch ms. */
  get expiresAt(): number {
    return this.obtainedAt + this.lifetimeMs;
  }

  /** The older of what the two clocks say. */
  ageMs(clock: Clock): number {
    return Math.max(clock.now() - this.obtainedAt, clock.monotonic() - this.#obtainedMonotonic);
  }

  /** `fresh`: to be used. `due`: to be used, and renewed meanwhile. `ending`: to be replaced first. */
  stage(clock: Clock): 'fresh' | 'due' | 'ending' {
    const leftMs = this.lifetimeMs - this.ageMs(clock);
    if (leftMs <= Math.min(MINUTE_MS, this.lifetimeMs / 20)) return 'ending';
    return leftMs <= this.#renewBeforeMs ? 'due' : 'fresh';
  }
}

/** Seconds; where it is absent an hour is assumed, and a number as large as an epoch in ms is one. */
function lifetimeOf(expiresIn: number | undefined, startedAt: number): number {
  if (expiresIn === undefined) return ASSUMED_LIFETIME_MS;
  const lifetimeMs = expiresIn > 1e11 ? expiresIn - startedAt : expiresIn * 1000;
  return lifetimeMs > 0 ? Math.min(lifetimeMs, LONGEST_LIFETIME_MS) : ASSUMED_LIFETIME_MS;
}

/** What makes a token unusable; undefined for a usable one. One with a line break in it is an attack or a bug. */
function faultOf(value: string): string | undefined {
  if (value === '') return 'is empty';
  if (value.length > MAX_TOKEN_LENGTH) return `is longer than ${MAX_TOKEN_LENGTH} characters`;
  return /^[\x21-\x7e]+$/.test(value) ? undefined : 'has characters that are not valid in a header';
}
