import { createHash } from 'node:crypto';
import type { Sender, TrafficEvents } from '../http/call.js';
import type { Server, Targets } from '../http/exchange.js';
import type { EndpointName } from '../hub/endpoints.js';
import { basicCredentialsOf } from '../observe/encodings.js';
import { clientLogger, type Logger } from '../observe/logger.js';
import { type EventNames, Observers } from '../observe/observers.js';
import { MAX_TEMPORARY, Redactor } from '../observe/redactor.js';
import { secretsIn } from '../observe/secret-headers.js';
import type { Secret } from '../options/checks.js';
import type { Window } from '../quota/window.js';
import type { TokenEvents } from './auth.js';
import type { CachedToken, Renewal } from './token.js';

/** The events of `hub.on`. They never contain a secret. */
export type HubEvents = TrafficEvents & TokenEvents;

export const HUB_EVENT_NAMES: EventNames<HubEvents> = {
  request: true,
  response: true,
  retry: true,
  rateLimited: true,
  tokenRenewed: true,
  tokenRenewalFailed: true,
};

/** What identifies one store at the hub, and gives access to it. */
export interface AccountCredentials {
  readonly clientId: string | undefined;
  readonly clientSecret: Secret | undefined;
  readonly apiKey: Secret | undefined;
}

/** What all accounts of a client or fleet share. */
export interface AccountParts {
  readonly targets: Targets;
  /** Extra headers of every request; partner keys among them are secrets too. */
  readonly headers: Readonly<Record<string, string>>;
  readonly logger: Logger;
}

/** At most this many characters of an id or a message of the hub are quoted. */
const MAX_QUOTED = 200;

/** Control characters and line separators: with them, a hub could write lines into a log, and commands to a terminal. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

const NONE: readonly string[] = [];

/**
 * One store at the hub, as http, quota and auth see it: its credentials and
 * what is known of them. Ten thousand of them are in memory, so an idle one is
 * small: what is not always needed is made on first use.
 */
export class Account implements Sender {
  /** In a fleet. */
  readonly storeId: string | undefined;
  readonly clientId: string | undefined;
  clientSecret: Secret | undefined;
  apiKey: Secret | undefined;
  /** The store as the hub counts its requests (Spec §8); a hash, so it is safe in keys of the state. */
  readonly scope: string;
  /** See `replaceToken`. */
  token: CachedToken | undefined;
  /** Only while a renewal is in progress, or was not successful, or a token was rejected. */
  renewal: Renewal | undefined;
  windows: Partial<Record<EndpointName, Window>> | undefined;
  /** Of `hub.on`. Undefined if nobody has listened. */
  observers: Observers<HubEvents> | undefined;
  readonly #parts: AccountParts;
  /** Undefined after a change of what it masks. */
  #redactor: Redactor | undefined;
  #logger: Logger | undefined;
  /** Former tokens, and what the functions of secrets have returned. The latest last. */
  #remembered = NONE;

  constructor(parts: AccountParts, credentials: AccountCredentials, storeId?: string) {
    this.#parts = parts;
    this.storeId = storeId;
    this.clientId = credentials.clientId;
    this.clientSecret = credentials.clientSecret;
    this.apiKey = credentials.apiKey;
    this.scope = hashOf(parts.targets.of('token').href, credentials.clientId ?? '');
  }

  /** The scope of requests with this API key. */
  scopeOfKey(apiKey: string): string {
    return hashOf(this.#parts.targets.base, apiKey);
  }

  /** Where requests to the endpoint are sent, for tracing channels. */
  serverOf(endpoint: EndpointName): Server {
    return this.#parts.targets.serverOf(endpoint);
  }

  /** Takes over other functions of the same secrets. Another secret that is a string needs another account. */
  update({ clientSecret, apiKey }: AccountCredentials): void {
    this.clientSecret = clientSecret;
    this.apiKey = apiKey;
  }

  /** The secrets will be replaced by others: a token, or what the function of a secret has returned. */
  remember(...secrets: readonly string[]): void {
    const others = this.#remembered.filter((other) => !secrets.includes(other));
    this.#remembered = [...others, ...secrets].slice(-MAX_TEMPORARY);
    this.#redactor = undefined;
  }

  /** Puts a token into memory. The former one is masked as before. */
  replaceToken(token: CachedToken | undefined): void {
    if (this.token) this.remember(this.token.value);
    this.token = token;
    this.#redactor = undefined;
  }

  /** Masks the secrets in a string of the hub, cuts it, and makes it one line: it may get into a log or a terminal. */
  quote(text: string, maxLength = MAX_QUOTED): string {
    return this.mask(text, maxLength).replace(CONTROL, ' ');
  }

  /** Masks the secrets in a text that keeps its lines, and cuts it. */
  mask(text: string, maxLength: number): string {
    return this.#masking.mask(text, maxLength);
  }

  /** A copy of another library's error, with the secrets masked. */
  maskError(error: unknown): unknown {
    return this.#masking.maskError(error);
  }

  /** Masks secrets. In a fleet, every line says which store it is about. */
  get logger(): Logger {
    this.#logger ??= clientLogger(this.#parts.logger, (text) => this.#masking.mask(text), this.storeId);
    return this.#logger;
  }

  /** Makes them, for a listener. */
  observe(): Observers<HubEvents> {
    this.observers ??= new Observers<HubEvents>(this.logger, HUB_EVENT_NAMES);
    return this.observers;
  }

  get #masking(): Redactor {
    if (!this.#redactor) {
      this.#redactor = new Redactor();
      this.#redactor.add(...this.#secrets(), ...secretsIn(this.#parts.headers));
    }
    return this.#redactor;
  }

  #secrets(): string[] {
    const { clientId = '', clientSecret, apiKey, token } = this;
    const isString = (secret: unknown) => typeof secret === 'string';
    const clientSecrets = isString(clientSecret) ? [clientSecret] : this.#remembered;
    return [
      ...[apiKey, clientSecret, token?.value, ...this.#remembered].filter(isString),
      ...clientSecrets.flatMap((secret) => basicCredentialsOf(clientId, secret)),
    ];
  }
}

function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest().toString('hex', 0, 16);
}
