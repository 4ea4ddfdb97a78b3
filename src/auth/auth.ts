import type { Lifetime } from '../async/promises.js';
import { type CallOptions, checkCallOptions } from '../http/call-options.js';
import type { Account } from './account.js';
import type { Tokens } from './tokens.js';

/** A bearer token. */
export interface Token {
  /** The bearer token. */
  readonly value: string;
  /** Epoch ms. */
  readonly expiresAt: number;
}

/** Renewals of the token. The events never contain the token. */
export type TokenEvents = {
  /** The hub issued a new token. */
  tokenRenewed: {
    /** When the new token expires, in epoch ms. */
    readonly expiresAt: number;
  };
  /** A renewal failed. */
  tokenRenewalFailed: {
    /** Why the renewal failed. */
    readonly error: unknown;
    /** true: no caller waited for it, and the present token is still in use. */
    readonly background: boolean;
  };
};

/** Bearer tokens of one store. */
export interface Auth {
  /**
   * Returns a token that is valid for at least another minute (or a twentieth of its lifetime, if that is shorter).
   *
   * @throws {AuthenticationError} the hub rejected clientId and clientSecret; not retried.
   * @throws {RateLimitError} ten token requests were sent within an hour (Spec §8).
   * @throws {ConfigurationError} clientId or clientSecret is not set.
   * @see Spec §4.1, §5
   */
  getToken(options?: CallOptions): Promise<Token>;

  /**
   * Requests a new token, however old the present one is. Joins a renewal that is in progress.
   *
   * @throws as `getToken`.
   */
  renew(options?: CallOptions): Promise<Token>;

  /** Forgets the token if it is still `value`. A late 401 for an old token never discards the new one. */
  invalidate(value: string): Promise<void>;
}

/** The tokens of one account. */
export class AccountAuth implements Auth {
  readonly #tokens: Tokens;
  readonly #account: Account;
  readonly #lifetime: Lifetime;

  /** @param lifetime - of the client whose door this is. */
  constructor(tokens: Tokens, account: Account, lifetime: Lifetime) {
    this.#tokens = tokens;
    this.#account = account;
    this.#lifetime = lifetime;
  }

  getToken(options?: CallOptions): Promise<Token> {
    return this.#lifetime.run(() => this.#obtain('get', options));
  }

  renew(options?: CallOptions): Promise<Token> {
    return this.#lifetime.run(() => this.#obtain('renew', options));
  }

  invalidate(value: string): Promise<void> {
    return this.#tokens.invalidate(this.#account, value);
  }

  async #obtain(how: 'get' | 'renew', options: CallOptions | undefined): Promise<Token> {
    const call = options === undefined ? undefined : checkCallOptions(options);
    call?.signal?.throwIfAborted();
    const { value, expiresAt } = await this.#tokens[how](this.#account, call);
    return { value, expiresAt };
  }
}
