import type { EndpointName } from '../endpoints.js';
import { ConfigurationError } from '../errors.js';
import type { RequestSigner } from '../host-profile.js';
import type { Redactor } from '../secrets/redactor.js';
import type { MaybePromise } from '../state/port.js';
import type { RawRequest } from './transport.js';

/**
 * The request with the headers that sign it.
 *
 * @throws {ConfigurationError} the signer has thrown, or returned something else than headers.
 */
export function signed(
  request: RawRequest,
  sign: RequestSigner,
  endpoint: EndpointName,
  redactor: Redactor,
): MaybePromise<RawRequest> {
  const { method, target, headers, body = '' } = request;
  const withSignature = (signature: Readonly<Record<string, string>>): RawRequest => ({
    ...request,
    headers: { ...headers, ...signature },
  });
  const failed = (error: unknown): never => {
    const reason = redactor.mask(error instanceof Error ? error.message : String(error));
    throw new ConfigurationError(
      'profile.sign',
      `could not sign the request to ${endpoint}, so it was not sent; correct the function: ${reason.replace(/^profile\.sign: /, '')}`,
    );
  };
  try {
    const signature = sign({ method, url: target.href, headers, body });
    return signature instanceof Promise
      ? signature.then(withSignature).catch(failed)
      : withSignature(signature);
  } catch (error) {
    return failed(error);
  }
}
