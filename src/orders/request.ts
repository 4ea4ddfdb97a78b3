import { ConfigurationError } from '../errors/index.js';

/**
 * Encodes one segment of a path, so that no value can change the rest of the path.
 *
 * @throws {ConfigurationError} the value cannot be a segment.
 */
export function pathSegment(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..') {
    throw new ConfigurationError(
      name,
      `must be a non-empty string other than '.' and '..'; pass the ${name} that the hub sent`,
    );
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
  if (/[\u0000-\u001f\u007f]/.test(value)) {
    throw new ConfigurationError(name, 'contains control characters; look for a stray line break');
  }
  try {
    return encodeURIComponent(value);
  } catch {
    throw new ConfigurationError(name, 'contains a lone surrogate, so it is not valid Unicode');
  }
}

/** @throws {ConfigurationError} the id cannot be a segment of a path. */
export const orderParameters = (orderId: string) => ({ orderId: pathSegment('orderId', orderId) });

/** @throws {ConfigurationError} the id or the command cannot be a segment of a path. */
export const commandParameters = (orderId: string, command: string) => ({
  ...orderParameters(orderId),
  status: pathSegment('status', command),
});

/** @throws {ConfigurationError} the body is not an object. */
export function requireObject(body: unknown): void {
  if (typeof body !== 'object' || body === null) {
    throw new ConfigurationError('body', 'must be an object that can be sent as JSON');
  }
}

/** The body of a command. @throws {ConfigurationError} it is not an object, or JSON cannot represent it. */
export function jsonBody(body: object) {
  requireObject(body);
  try {
    return { body: JSON.stringify(body), contentType: 'application/json' };
  } catch (cause) {
    throw new ConfigurationError(
      'body',
      `cannot be sent as JSON, remove what it cannot represent: ${cause instanceof Error ? cause.message : ''}`,
    );
  }
}
