import { unlessFails } from '../async/promises.js';
import type { Account } from './account.js';
import { CachedToken } from './token.js';
import type { TokensOptions } from './tokens.js';

/**
 * How long one process may hold the lock, and the longest the others wait for
 * it: a process can die while it holds it, and a state can refuse everything.
 */
const LOCK_MS = 30_000;

/** How often a process that waits looks for a result of the others. */
const CHECK_EVERY_MS = 500;

/** The key of a store's token in the state. */
const keyOf = ({ scope }: Account) => ['token', scope].join(':');

/**
 * The stores' tokens: in memory, and in the state, which other processes and
 * later runs of this one share.
 *
 * An unreachable state never fails a caller: the token in memory is enough.
 */
export class SharedTokens {
  readonly #options: TokensOptions;

  constructor(options: TokensOptions) {
    this.#options = options;
  }

  /** Returns the token in the state, unless another one was cached meanwhile. */
  async load(account: Account): Promise<CachedToken | undefined> {
    const stored = await this.#read(account);
    // Not `??= await`: another token may have been cached meanwhile.
    if (!account.token && stored) account.replaceToken(stored);
    return account.token;
  }

  /** Puts a new token into memory and into the state. */
  async keep(account: Account, token: CachedToken): Promise<void> {
    const { state, clock } = this.#options;
    account.replaceToken(token);
    const { renewal } = account;
    if (renewal) renewal.rejected = renewal.rejected.filter((value) => value !== token.value);
    await unlessFails(() => state.set(keyOf(account), token.record, { forMs: token.lifetimeMs }, clock));
  }

  /** Forgets this token, in memory and in the state; any other token stays. */
  async invalidate(account: Account, value: string): Promise<void> {
    if (account.token?.value === value) account.replaceToken(undefined);
    const { state, clock } = this.#options;
    const key = keyOf(account);
    const stored = await unlessFails(() => state.get(key, clock));
    if (stored === undefined || CachedToken.restore(stored, clock)?.value !== value) return;
    // If that fails, the next process that loads this token gets its own 401.
    await unlessFails(() => state.set(key, undefined, { forMs: 0, ifEquals: stored }, clock));
  }

  /**
   * Runs `request` in one process at a time, among all that share the state. The others wait, and take the
   * token that it has put into the state.
   *
   * Without a lock (the state fails, or refuses it for 30 s) `request` runs anyway.
   */
  async renew(account: Account, request: () => Promise<CachedToken>): Promise<CachedToken> {
    const { state, clock, lifetime } = this.#options;
    const key = `${keyOf(account)}:turn`;
    const waitsUntil = clock.monotonic() + LOCK_MS;
    while (true) {
      const newer = await this.adoptNewer(account);
      if (newer) return newer;
      const lock = await unlessFails(() => state.reserve(key, { limit: 1, holdMs: LOCK_MS }, clock));
      if (lock?.granted === false && clock.monotonic() < waitsUntil) {
        await lifetime.sleep(clock, Math.min(lock.waitMs, CHECK_EVERY_MS));
        continue;
      }
      try {
        return await request();
      } finally {
        if (lock?.granted) {
          const { id } = lock;
          await unlessFails(() => state.settle(key, { id, freeInMs: 0 }, clock));
        }
      }
    }
  }

  /** Takes over a token that another process has put into the state since we got ours. */
  async adoptNewer(account: Account): Promise<CachedToken | undefined> {
    const { token } = account;
    const stored = await this.#read(account);
    if (!stored || stored.value === token?.value) return undefined;
    if (token && stored.obtainedAt.wall <= token.obtainedAt.wall) return undefined;
    if (stored.stage(this.#options.clock) !== 'fresh') return undefined;
    account.replaceToken(stored);
    return stored;
  }

  /** The token in the state, if it is usable and not the one in memory. */
  async #read(account: Account): Promise<CachedToken | undefined> {
    const { state, clock } = this.#options;
    const record = await unlessFails(() => state.get(keyOf(account), clock));
    if (record === undefined || record === account.token?.record) return undefined;
    const token = CachedToken.restore(record, clock);
    return token && account.renewal?.rejected.includes(token.value) ? undefined : token;
  }
}
