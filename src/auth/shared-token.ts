import type { Clock } from '../clock.js';
import type { Redactor } from '../secrets/redactor.js';
import { withLock } from '../state/lock.js';
import type { State } from '../state/port.js';
import { CachedToken } from './cached-token.js';

export interface SharedTokenOptions {
  readonly clock: Clock;
  readonly state: State;
  readonly stateKey: string;
  /** Waits; rejects when the client is closed. */
  readonly pause: (ms: number) => Promise<void>;
  /** Masks the tokens in all output. */
  readonly redactor: Redactor;
  /** The token that an earlier object had in memory. */
  readonly token?: CachedToken | undefined;
}

/** Rejected tokens are remembered, because the state may still hold one; at most this many. */
const MAX_REJECTED = 16;
const NONE: readonly string[] = [];

/**
 * The store's token: in memory, and in the state, which other processes and
 * later runs of this one share.
 *
 * An unreachable state never fails a caller: the token in memory is enough.
 */
export class SharedToken {
  readonly #options: SharedTokenOptions;
  /** The latest last. */
  #rejected: readonly string[] = NONE;
  #cached: CachedToken | undefined;

  constructor(options: SharedTokenOptions) {
    this.#options = options;
    const { token, redactor } = options;
    if (!token) return;
    redactor.addTemporary(token.value);
    this.#cached = token;
  }

  /** The token in memory. */
  get cached(): CachedToken | undefined {
    return this.#cached;
  }

  /** Returns the token in memory, otherwise the token in the state. */
  async load(): Promise<CachedToken | undefined> {
    if (this.#cached) return this.#cached;
    const stored = await this.#read();
    // Not `??= await`: another token may have been cached meanwhile.
    this.#cached ??= stored;
    return this.#cached;
  }

  /** Puts a new token into memory and into the state. */
  async keep(token: CachedToken): Promise<void> {
    const { state, stateKey, clock, redactor } = this.#options;
    redactor.addTemporary(token.value);
    this.#cached = token;
    this.#rejected = this.#rejected.filter((value) => value !== token.value);
    try {
      await state.set(stateKey, token.toRecord(), { forMs: token.lifetimeMs }, clock);
    } catch {
      // This process has it in memory.
    }
  }

  /** Forgets this token, in memory and in the state; any other token stays. */
  async invalidate(value: string): Promise<void> {
    if (this.#cached?.value === value) this.#cached = undefined;
    if (!this.#rejected.includes(value)) this.#rejected = [...this.#rejected, value].slice(-MAX_REJECTED);
    const { state, stateKey, clock } = this.#options;
    try {
      const stored = await state.get(stateKey, clock);
      if (stored !== undefined && CachedToken.restore(stored, clock)?.value === value)
        await state.set(stateKey, undefined, { forMs: 0, ifEquals: stored }, clock);
    } catch {
      // The next process that loads this token gets its own 401.
    }
  }

  /**
   * Runs `request` in one process at a time. The others wait, and take the
   * token that it has put into the state.
   */
  renew(request: () => Promise<CachedToken>): Promise<CachedToken> {
    const { state, stateKey, clock, pause } = this.#options;
    return withLock({
      state,
      key: `${stateKey}:turn`,
      clock,
      pause,
      findResult: () => this.#adoptNewer(),
      work: request,
    });
  }

  /** Takes over a token that another process has put into the state since we got ours. */
  async #adoptNewer(): Promise<CachedToken | undefined> {
    const cached = this.#cached;
    const stored = await this.#read();
    if (!stored || stored.value === cached?.value) return undefined;
    if (cached && stored.obtainedAt <= cached.obtainedAt) return undefined;
    if (stored.stage(this.#options.clock) !== 'fresh') return undefined;
    this.#cached = stored;
    return stored;
  }

  async #read(): Promise<CachedToken | undefined> {
    const { state, stateKey, clock, redactor } = this.#options;
    try {
      const record = await state.get(stateKey, clock);
      const token = record === undefined ? undefined : CachedToken.restore(record, clock);
      if (!token || this.#rejected.includes(token.value)) return undefined;
      redactor.addTemporary(token.value);
      return token;
    } catch {
      return undefined;
    }
  }
}
