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
  /**
   * The only codes that the host accepts in `requestCancellation`; the mock hub answers 400 to any other. Default:
   * every code.
   */
  readonly cancellationCodes?: readonly string[] | undefined;
  /** The only codes that the host accepts in `denyCancellation`; the mock hub answers 400 to any other. Default: every code. */
  readonly denialCodes?: readonly string[] | undefined;
  /** Event types that only this host has. As for those of Spec §6, one without a listener causes a warning. Default: `[]`. */
  readonly eventTypes?: readonly string[] | undefined;
  /** How long the host keeps an event that is not acknowledged, in ms; the mock hub then forgets it. Default: until it is acknowledged. */
  readonly eventLifetimeMs?: number | undefined;
  /**
   * The host cancels an order that is not confirmed within this time, in ms; so does the mock hub, which reports it
   * as `unanswered-order`. Default: the host has no such limit.
   */
  readonly confirmWithinMs?: number | undefined;
  /** How the host writes one piece in the `unit` of an item; the mock hub's documents have it. Default: `'UN'`. */
  readonly itemUnit?: string | undefined;
  /** The status of every response until the host has put the application in its allow list. Default: it has no such list. */
  readonly statusUntilAllowed?: number | undefined;
  /** What the host expects of the application's webhook. Default: as in the standard. */
  readonly webhook?: WebhookProfile | undefined;
  /** What a status means at this host. The client's errors and the mock hub's terminal say it. Default: `[]`. */
  readonly statusMeanings?: readonly StatusMeaning[] | undefined;
  /** Whether the host wants every poll to name its shops (`merchants` of a poller). Without them, the client logs one warning. Default: false. */
  readonly requiresMerchants?: boolean | undefined;
  /** Whether the host refuses requests without a signature. Without `sign`, the client then logs one warning. Default: false. */
  readonly requiresSignature?: boolean | undefined;
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

/** What a host expects of the application's webhook. */
export interface WebhookProfile {
  /** The status of `poller.receive` for a push whose events are handled; the mock hub accepts only this one. Default: any 2xx; the client answers 200. */
  readonly accepted?: number | undefined;
  /** The status of `poller.receive` for a push without a signature: 401 or 403. Default: 401. */
  readonly unsigned?: 401 | 403 | undefined;
}

/**
 * What a status means at a host. The error of a call ends with it, such as `404: the host answers this until …`.
 *
 * @example
 * ```ts
 * const meaning: StatusMeaning = { status: 409, endpoints: ['orderStatus'], meaning: 'another application has the order' };
 * ```
 */
export interface StatusMeaning {
  /** The HTTP status. */
  readonly status: number;
  /** The endpoints at which the status means it. Default: all. */
  readonly endpoints?: readonly EndpointName[] | undefined;
  /** One sentence without a full stop. */
  readonly meaning: string;
}

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
  /** How the host composes a `clientId`, for people: the error of a refused token request names it. Default: none. */
  readonly clientIdFormat?: string | undefined;
  /** What one token is for, for people: one shop, or all shops of an application. Default: not said. */
  readonly per?: 'shop' | 'application' | undefined;
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
  readonly clientIdFormat?: string | undefined;
  readonly per?: 'shop' | 'application' | undefined;
}

/** A profile after its checks. */
export interface ResolvedProfile extends HostProfile {
  readonly headers: Readonly<Record<string, string>>;
  readonly paths: Readonly<Partial<Record<EndpointName, string>>>;
  readonly token: TokenFormat;
  readonly limits: Readonly<Partial<Record<EndpointName, HostLimit>>>;
  readonly commands: { readonly required: readonly FlaggedCommand[]; readonly refuseOthers: boolean };
  readonly eventTypes: readonly string[];
  readonly webhook: { readonly accepted?: number | undefined; readonly unsigned: 401 | 403 };
  readonly statusMeanings: readonly StatusMeaning[];
  readonly requiresMerchants: boolean;
  readonly requiresSignature: boolean;
}
