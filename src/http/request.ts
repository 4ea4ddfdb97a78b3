import { ConfigurationError } from '../errors/index.js';
import type { EndpointName } from '../hub/endpoints.js';
import type { RequestSigner } from '../hub/profile.js';
import { version } from '../hub/version.js';
import type { Sender } from './call.js';
import type { RawRequest } from './transport.js';

/** At most this much of what a signer says is quoted. */
const MAX_REASON_CHARACTERS = 1000;

/**
 * The request with the headers that sign it.
 *
 * @throws {ConfigurationError} the signer has thrown, or returned something else than headers.
 */
export async function signed(
  request: RawRequest,
  sign: RequestSigner,
  endpoint: EndpointName,
  sender: Sender,
): Promise<RawRequest> {
  const { method, target, headers, body = '' } = request;
  try {
    const signature = await sign({ method, url: target.href, headers: Object.freeze(headers), body });
    return { ...request, headers: { ...headers, ...signature } };
  } catch (error) {
    const reason = sender.quote(
      error instanceof Error ? error.message : String(error),
      MAX_REASON_CHARACTERS,
    );
    throw new ConfigurationError(
      'profile.sign',
      `could not sign the request to ${endpoint}, so it was not sent; correct the function: ${reason.replace(/^profile\.sign: /, '')}`,
    );
  }
}

/** Your application, named in the `user-agent` header for the hub's operator. */
export interface AppInfo {
  /** At most 100 letters, digits and characters such as `-._~`; no spaces. */
  readonly name: string;
  /** Same characters as `name`. */
  readonly version?: string | undefined;
  /** A page about the application, for the operator. */
  readonly url?: string | undefined;
}

/** `opendelivery-client/1.2.3 my-app/4.5 (https://my-app.example)` */
export function userAgentOf(app: AppInfo | undefined): string {
  const own = `opendelivery-client/${version}`;
  if (!app) return own;
  const product = app.version === undefined ? app.name : `${app.name}/${app.version}`;
  return [own, product, ...(app.url === undefined ? [] : [`(${app.url})`])].join(' ');
}
