import type { EndpointName } from './endpoints.js';

/**
 * Describes how a host differs from the hub's specification. The client, the mock
 * hub and `opendelivery doctor` read the same profile. Everything that is left
 * out is as in Spec §4 and §8.
 *
 * All of it can be JSON, except `sign`, which is a function.
 *
 * @example
 * ```ts
 * const profile: HostProfile = {
 *   basePath: '',
 *   paths: { polling: '/v1/events' },
 *   token: { body: 'json' },
 * };
 * const hub = new HubClient({ baseUrl, profile, ...credentials });
 * const mock = createMockHub({ profile });
 * ```
 */
export interface HostProfile {
  /** The name of the host, for people: the command line shows it. Default: none. */
  readonly name?: string | undefined;
  /** Prefix of every path; `''` for none. The option `basePath` takes precedence. Default: `'/opendelivery'`. */
  readonly basePath?: string | undefined;
  /** The complete address of the token endpoint, if it is on another host. The option `tokenUrl` takes precedence. */
  readonly tokenUrl?: string | undefined;
  /**
   * Headers that the host requires with every request. Those of the option `headers` are added, and take
   * precedence. Default: `{}`.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Paths of single endpoints, below the base path. `order` needs the placeholder `{orderId}`, `orderStatus`
   * needs `{orderId}` and `{status}`. Default: the paths of Spec §4.
   */
  readonly paths?: { readonly [Name in EndpointName]?: string | undefined } | undefined;
  /** How a token is requested. Default: as in Spec §4.1. */
  readonly token?: TokenRequestProfile | undefined;
  /**
   * The host's own limits of single endpoints. The client never polls more often than twice a minute; a stricter
   * limit of `polling` makes the shortest `intervalMs` of pollers longer. Default: the limits of Spec §8.
   */
  readonly limits?: { readonly [Name in EndpointName]?: HostLimit | undefined } | undefined;
  /** Which commands of an order the host expects and refuses. Default: as in the standard. */
  readonly commands?: CommandProfile | undefined;
  /** Signs every request. Default: none. */
  readonly sign?: RequestSigner | undefined;
}

/**
 * Which commands of an order a host expects and refuses.
 *
 * @example
 * ```ts
 * // Expects both commands of every order that they are for, and answers 422 to those that are for another kind of order.
 * const commands: CommandProfile = { required: ['pickedUp', 'delivered'], refuseOthers: true };
 * ```
 */
export interface CommandProfile {
  /**
   * Commands that the host expects of every order that they are for, also without the order's flag (`sendPreparing`,
   * `sendPickedUp`, `sendDelivered`). `nextCommands` names them. Default: `[]`.
   */
  readonly required?: readonly FlaggedCommand[] | undefined;
  /**
   * Whether the host answers 422 to a command that is for another kind of order, such as `delivered` for a TAKEOUT.
   * The mock hub does so too, and reports the command in any case. Default: false.
   */
  readonly refuseOthers?: boolean | undefined;
}

/** A command that a host expects only if the order has a flag for it. */
export type FlaggedCommand = 'preparing' | 'pickedUp' | 'delivered';

/** How a host expects the request for a token. */
export interface TokenRequestProfile {
  /** The body: a form, or a JSON object. Default: `'form'`. */
  readonly body?: 'form' | 'json' | undefined;
  /** Where the credentials are: in the body, or in a header `authorization: Basic …` (RFC 6749 §2.3.1). Default: `'body'`. */
  readonly credentials?: 'body' | 'basic' | undefined;
  /** The names of the fields in the body. Default: as in Spec §4.1. */
  readonly fields?: TokenFieldNames | undefined;
  /** The value of the field for the grant. Default: `'client_credentials'`. */
  readonly grantType?: string | undefined;
  /** Other fields of the body, such as `{ scope: 'od.all' }`. Default: `{}`. */
  readonly extra?: Readonly<Record<string, string>> | undefined;
}

/** The names of the fields in the body of a token request. */
export interface TokenFieldNames {
  /** Default: `'client_id'`. */
  readonly clientId?: string | undefined;
  /** Default: `'client_secret'`. */
  readonly clientSecret?: string | undefined;
  /** Default: `'grant_type'`. */
  readonly grantType?: string | undefined;
}

/** How many requests a host allows in any window. */
export interface HostLimit {
  /** Requests of one store in any window. */
  readonly requests: number;
  /** Length of the window, in ms. */
  readonly windowMs: number;
}

/** The request that a `RequestSigner` signs. */
export interface RequestToSign {
  /** HTTP method. */
  readonly method: string;
  /** The complete address. */
  readonly url: string;
  /** The headers, with their names in lower case. At the mock hub also those that the transport has added. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body; `''` for a request without a body. */
  readonly body: string;
}

/**
 * Returns the headers that sign a request. It is called for every attempt, and its time counts as part of
 * `timeoutMs`. If it throws, the call fails with a `ConfigurationError`.
 *
 * The mock hub calls the same function on the request that it has received, and compares the headers. So a
 * signature with a time must take it from `headers`, if it is there:
 *
 * @example
 * ```ts
 * sign: ({ method, url, headers, body }) => {
 *   const at = headers['x-signed-at'] ?? new Date().toISOString();
 *   const text = [method, new URL(url).pathname, at, body].join('\n');
 *   return { 'x-signed-at': at, 'x-signature': createHmac('sha256', key).update(text).digest('hex') };
 * };
 * ```
 */
export type RequestSigner = (
  request: RequestToSign,
) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;

/** How a token is requested, with every default filled in. */
export interface TokenFormat {
  readonly body: 'form' | 'json';
  readonly credentials: 'body' | 'basic';
  readonly fields: { readonly clientId: string; readonly clientSecret: string; readonly grantType: string };
  readonly grantType: string;
  readonly extra: Readonly<Record<string, string>>;
}

/** A profile after its checks. */
export interface ResolvedProfile extends HostProfile {
  readonly headers: Readonly<Record<string, string>>;
  readonly paths: Readonly<Partial<Record<EndpointName, string>>>;
  readonly token: TokenFormat;
  readonly limits: Readonly<Partial<Record<EndpointName, HostLimit>>>;
  readonly commands: { readonly required: readonly FlaggedCommand[]; readonly refuseOthers: boolean };
}
