import { SingleFlight } from '../async/promises.js';
import {
  ApiError,
  AuthenticationError,
  HubError,
  InvalidResponseError,
  RateLimitError,
  TimeoutError,
} from '../errors/index.js';
import { type HubResponse, readJson } from '../http/body.js';
import type { Authorization } from '../http/call.js';
import type { CallOptions } from '../http/call-options.js';
import { TOKEN_LIFETIME_MS } from '../hub/endpoints.js';
import { lenientReader } from '../reading/fields.js';
import { token as tokenReader } from '../reading/generated/token.js';
import type { TokenResponse } from '../schemas/token.js';
import { type Clock, elapsedMs, isFromFuture, type Moment } from '../time/clock.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Assumed if the hub does not say how long a token is valid. */
const ASSUMED_LIFETIME_MS = HOUR_MS;

/** A longer lifetime is not plausible, and cut to this. */
const LONGEST_LIFETIME_MS = 52 * TOKEN_LIFETIME_MS;

/** No server accepts a longer header. */
const MAX_TOKEN_LENGTH = 16_384;

const SCHEME = 'Bearer ';

const readToken = lenientReader<TokenResponse>(tokenReader);

/**
 * A token and its age on both clocks, because either may be wrong: the wall
 * clock can be set, and the monotonic clock may stop while the machine sleeps.
 */
export class CachedToken {
  /** JSON, for the state. It is all that is kept of a token: with `memoryState`, it is in memory once. */
  readonly record: string;
  readonly lifetimeMs: number;
  /** When its request was sent. */
  readonly obtainedAt: Moment;
  /** It was in the state: another process, or an earlier run, has obtained it. */
  readonly isRestored: boolean;
  readonly #renewBeforeMs: number;

  private constructor(record: string, lifetimeMs: number, obtainedAt: Moment, isRestored: boolean) {
    this.record = record;
    this.lifetimeMs = lifetimeMs;
    this.obtainedAt = obtainedAt;
    this.isRestored = isRestored;
    // Up to a fifth later than the window starts, so that many stores do not renew in the same minute.
    this.#renewBeforeMs = Math.min(12 * HOUR_MS, lifetimeMs / 10) * (1 - Math.random() / 5);
  }

  /** @throws {InvalidResponseError} the response has no token, or one that cannot be sent in a header. */
  static read(response: HubResponse): CachedToken {
    const reading = readToken(readJson('token', response));
    const { issues } = reading;
    if (!reading.usable) {
      throw new InvalidResponseError('token', 'the response has no usable access_token', { issues });
    }
    const fault = faultOf(reading.value.access_token);
    if (fault) throw new InvalidResponseError('token', `the access_token ${fault}`, { issues });
    const { access_token: value, expires_in: expiresIn } = reading.value;
    const { sentAt } = response;
    const lifetimeMs = lifetimeOf(expiresIn, sentAt.wall);
    const record = JSON.stringify({ value, obtainedAt: sentAt.wall, lifetimeMs });
    return new CachedToken(record, lifetimeMs, sentAt, false);
  }

  /** Restores a token from its record, perhaps of another process; undefined if that is not usable. */
  static restore(record: string, clock: Clock): CachedToken | undefined {
    try {
      const { value, obtainedAt, lifetimeMs } = JSON.parse(record) as Record<string, unknown>;
      if (typeof value !== 'string' || faultOf(value)) return undefined;
      if (typeof obtainedAt !== 'number' || typeof lifetimeMs !== 'number') return undefined;
      if (!(lifetimeMs > 0 && lifetimeMs <= LONGEST_LIFETIME_MS)) return undefined;
      if (isFromFuture(obtainedAt, clock)) return undefined;
      const ageMs = Math.max(0, clock.now() - obtainedAt);
      const moment = { wall: obtainedAt, monotonic: clock.monotonic() - ageMs };
      return new CachedToken(record, lifetimeMs, moment, true);
    } catch {
      return undefined;
    }
  }

  /** Epoch ms; the wall clock's view. */
  get expiresAt(): number {
    return this.obtainedAt.wall + this.lifetimeMs;
  }

  /** The credential of requests. */
  get authorization(): Authorization {
    const { value } = JSON.parse(this.record) as { value: string };
    return { name: 'authorization', value: SCHEME + value, token: this };
  }

  get value(): string {
    return this.authorization.value.slice(SCHEME.length);
  }

  /** `fresh`: use it. `due`: use it, and renew it in the background. `ending`: renew it first. */
  stage(clock: Clock): 'fresh' | 'due' | 'ending' {
    const leftMs = this.lifetimeMs - elapsedMs(this.obtainedAt, clock);
    if (leftMs <= Math.min(MINUTE_MS, this.lifetimeMs / 20)) return 'ending';
    return leftMs <= this.#renewBeforeMs ? 'due' : 'fresh';
  }
}

/** `expiresIn` is seconds; a number as large as an instant in epoch ms is one. An hour is assumed if it is missing. */
function lifetimeOf(expiresIn: number | undefined, startedAt: number): number {
  if (expiresIn === undefined) return ASSUMED_LIFETIME_MS;
  const lifetimeMs = expiresIn > 1e11 ? expiresIn - startedAt : expiresIn * 1000;
  return lifetimeMs > 0 ? Math.min(lifetimeMs, LONGEST_LIFETIME_MS) : ASSUMED_LIFETIME_MS;
}

/** Why a token is not usable, or undefined. A line break in a token is an attack or a bug. */
function faultOf(value: string): string | undefined {
  if (value === '') return 'is empty';
  if (value.length > MAX_TOKEN_LENGTH) return `is longer than ${MAX_TOKEN_LENGTH} characters`;
  return /^[\x21-\x7e]+$/.test(value) ? undefined : 'has characters that are not valid in a header';
}

/** How long a pause after failures is. */
interface PauseLimits {
  readonly maxMs: number;
  /** Lengthens each pause by up to this part of it. */
  readonly jitter: number;
  /** The first failures in a row are followed by no pause. */
  readonly free: number;
}

/** Of renewals that callers wait for: eight requests an hour, of the ten allowed. */
const FOREGROUND: PauseLimits = { maxMs: 8 * MINUTE_MS, jitter: 0, free: 0 };

/** Such as a 404, which a hub may send until it has allowed the application. */
const UNEXPECTED: PauseLimits = { ...FOREGROUND, free: 2 };

/** With jitter, so that many stores do not try again in the same minute. */
export const BACKGROUND: PauseLimits = { maxMs: 60 * MINUTE_MS, jitter: 0.5, free: 0 };

/** Rejected tokens are remembered, because the state may still hold one; at most this many. */
const MAX_REJECTED = 16;

/** What is known of the renewals of a token, only while there is something to know. */
export class Renewal {
  /** Those that callers wait for. */
  readonly flight = new SingleFlight<CachedToken>();
  background: Promise<CachedToken> | undefined;
  readonly pause = new FailurePause();
  readonly backgroundPause = new FailurePause();
  /** Renewals in progress. */
  running = 0;
  /** The latest last. */
  rejected: readonly string[] = [];

  reject(token: string): void {
    if (!this.rejected.includes(token)) this.rejected = [...this.rejected, token].slice(-MAX_REJECTED);
  }
}

/** A pause after failures in a row: one minute, doubled after each further failure. */
class FailurePause {
  /** In a row. */
  failures = 0;
  lastError: unknown;
  /** On the monotonic clock. */
  #until = Number.NEGATIVE_INFINITY;

  isActive(clock: Clock): boolean {
    return clock.monotonic() < this.#until;
  }

  failed(error: unknown, clock: Clock, { maxMs, jitter, free }: PauseLimits): void {
    this.failures += 1;
    this.lastError = error;
    if (this.failures <= free) return;
    const pauseMs = Math.min(maxMs, MINUTE_MS * 2 ** (this.failures - 1));
    this.#until = clock.monotonic() + Math.ceil(pauseMs * (1 + jitter * Math.random()));
  }

  succeeded(): void {
    this.failures = 0;
    this.lastError = undefined;
    this.#until = Number.NEGATIVE_INFINITY;
  }
}

/** The pause after a failure of a renewal that callers wait for. A caller's own short time-out says nothing about the hub. */
export function pauseAfter(error: unknown, limits: CallOptions): PauseLimits | undefined {
  if (error instanceof AuthenticationError || error instanceof RateLimitError) return undefined;
  if (error instanceof TimeoutError && limits.timeoutMs !== undefined) return undefined;
  if (error instanceof HubError && error.retryable) return FOREGROUND;
  return error instanceof ApiError ? UNEXPECTED : undefined;
}
