import { createHash } from 'node:crypto';
import { withinTime } from '../async/timer.js';
import type { Clock } from '../clock.js';
import { ConfigurationError, TimeoutError } from '../errors.js';
import type { Authorization } from '../http/call.js';
import type { Targets } from '../http/endpoint-url.js';
import { HEADER_SAFE } from '../option-checks.js';
import { basicCredentialsOf } from '../secrets/encodings.js';
import { secretsIn } from '../secrets/headers.js';
import type { Redactor } from '../secrets/redactor.js';
import type { Secret } from '../secrets/secret.js';

export interface CredentialsOptions {
  readonly targets: Targets;
  readonly clientId: string | undefined;
  readonly clientSecret: Secret | undefined;
  readonly apiKey: Secret | undefined;
  /** Extra headers of every request; partner keys among them are secrets too. */
  readonly headers: Readonly<Record<string, string>>;
  /** Is given every secret before it is used. */
  readonly redactor: Redactor;
  readonly clock: Clock;
  /** A secret's function must return within this time, in ms. */
  readonly timeoutMs: number;
  /** The result of an earlier hash. */
  readonly storeScope?: string | undefined;
}

/** For the token endpoint. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What the function of a rotated secret must return. */
const RETURNED = {
  pushSecrets: { allowed: /^\P{Cc}+$/u, description: 'a non-empty string without control characters' },
  clientSecret: { allowed: /^\P{Cc}+$/u, description: 'a non-empty string without control characters' },
  apiKey: { allowed: HEADER_SAFE, description: 'a non-empty string of printable ASCII' },
} as const;

/** The secrets of one client, and the scopes in which the hub counts its requests. */
export class Credentials {
  readonly #options: CredentialsOptions;
  /** The store as the hub counts its requests (Spec §8); a hash, so it is safe in keys of the state. */
  readonly storeScope: string;

  constructor(options: CredentialsOptions) {
    this.#options = options;
    const { targets, clientId = '', clientSecret, apiKey, headers, redactor } = options;
    this.storeScope = options.storeScope ?? hashOf(targets.of('token').href, clientId);
    for (const secret of [clientSecret, apiKey, ...secretsIn(headers)]) {
      if (typeof secret === 'string') redactor.add(secret);
    }
    if (typeof clientSecret === 'string') redactor.add(...basicCredentialsOf(clientId, clientSecret));
  }

  get hasClientId(): boolean {
    return this.#options.clientId !== undefined;
  }

  /** @throws {ConfigurationError} clientId or clientSecret is missing, or the secret's function returned no usable string. @throws {TimeoutError} the function did not return. */
  async clientCredentials(): Promise<ClientCredentials> {
    const { clientId } = this.#options;
    const clientSecret = await this.#valueOf('clientSecret');
    if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret };
    throw new ConfigurationError(
      clientId === undefined ? 'clientId' : 'clientSecret',
      'is required for events and orders; pass it to the HubClient, or set HUB_CLIENT_ID and HUB_CLIENT_SECRET for fromEnv',
    );
  }

  /** The client secret and others. @throws as `clientCredentials`. */
  async signingSecrets(others: readonly Secret[]): Promise<readonly string[]> {
    const { clientSecret } = await this.clientCredentials();
    const values = await Promise.all(others.map((secret) => this.#current('pushSecrets', secret)));
    for (const value of values) this.#options.redactor.addTemporary(value);
    return [clientSecret, ...values];
  }

  /** The API key of one request. @throws {ConfigurationError} it is missing or not usable. */
  async authorize(): Promise<Authorization> {
    const value = await this.#apiKey();
    // A key from a function may have been rotated meanwhile.
    return { header: ['x-api-key', value], onRejected: async () => (await this.#apiKey()) !== value };
  }

  /** The scope of requests with the API key. @throws as `authorize`. */
  async merchantScope(): Promise<string> {
    return hashOf(this.#options.targets.base, await this.#apiKey());
  }

  async #apiKey(): Promise<string> {
    const value = await this.#valueOf('apiKey');
    if (value !== undefined) return value;
    throw new ConfigurationError(
      'apiKey',
      'is required for the merchant document; pass it to the HubClient, or set HUB_API_KEY for fromEnv',
    );
  }

  /** The present value of a secret. */
  async #valueOf(name: 'clientSecret' | 'apiKey'): Promise<string | undefined> {
    const secret = this.#options[name];
    return secret === undefined ? undefined : this.#current(name, secret);
  }

  async #current(name: keyof typeof RETURNED, secret: Secret): Promise<string> {
    if (typeof secret !== 'function') return secret;
    const { allowed, description } = RETURNED[name];
    const { clock, timeoutMs } = this.#options;
    const returned: unknown = await withinTime(
      clock,
      timeoutMs,
      secret,
      () => new TimeoutError(name, timeoutMs),
    );
    const value = typeof returned === 'string' && allowed.test(returned) ? returned.trim() : '';
    if (value === '') throw new ConfigurationError(name, `its function must return ${description}`);
    const { clientId = '', redactor } = this.#options;
    redactor.addTemporary(value);
    if (name === 'clientSecret') redactor.addTemporary(...basicCredentialsOf(clientId, value));
    return value;
  }
}

function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest().toString('hex', 0, 16);
}
