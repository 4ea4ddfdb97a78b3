import type { EndpointName } from '../endpoints.js';
import { ConfigurationError } from '../errors.js';
import type { RequestSigner } from '../host-profile.js';
import type { Redactor } from '../secrets/redactor.js';
import type { RawRequest } from './transport.js';

/**
 * The request with the headers that sign it.
 *
 * @throws {ConfigurationError} the signer has thrown, or returned something else than headers.
 */
export async function signed(
  request: RawRequest,
  sign: RequestSigner,
  endpoint: EndpointName,
  redactor: Redactor,
): Promise<RawRequest> {
  const { method, target, headers, body = '' } = request;
  try {
    const signature = await sign({ method, url: target.href, headers, body });
    return { ...request, headers: { ...headers, ...signature } };
  } catch (error) {
    const reason = redactor.mask(error instanceof Error ? error.message : String(error));
    throw new ConfigurationError(
      'profile.sign',
      `could not sign the request to ${endpoint}, so it was not sent; correct the function: ${reason.replace(/^profile\.sign: /, '')}`,
    );
  }
}
