import type { EndpointName } from '../endpoints.js';
import { InvalidResponseError } from '../errors.js';
import { utf8 } from './body.js';
import type { RawResponse } from './transport.js';

/** A response of the hub, and when its request was sent, on both clocks. */
export interface HubResponse extends RawResponse {
  /** Epoch ms. */
  readonly startedAt: number;
  readonly startedMonotonic: number;
}

/** At most this many bytes of an error page are read; then the connection is closed. */
export const MAX_ERROR_BYTES = 65_536;

/**
 * Parses the JSON body of a successful response.
 *
 * @throws {InvalidResponseError} the body is empty or not JSON.
 */
export function readJson(endpoint: EndpointName, response: RawResponse): unknown {
  const text = textOf(response);
  if (text.trim() === '') throw new InvalidResponseError(endpoint, 'the body is empty, JSON was expected');
  try {
    return JSON.parse(text);
  } catch (cause) {
    const isMarkup = /^\s*</.test(text);
    const what = isMarkup ? 'HTML or XML' : 'not valid JSON';
    throw new InvalidResponseError(endpoint, `the body is ${what}, JSON was expected; check baseUrl`, {
      // The message of JSON.parse quotes the body, which may contain a secret.
      cause: cause instanceof Error ? new SyntaxError('not valid JSON') : undefined,
      // Broken JSON may be a truncated body; a page of HTML comes again.
      retryable: !isMarkup,
    });
  }
}

/** Decodes the body: UTF-8 unless the response names another charset. */
export function textOf(response: RawResponse): string {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(response.header('content-type') ?? '')?.[1];
  if (charset && !/^utf-?8$/i.test(charset)) {
    try {
      return new TextDecoder(charset).decode(response.body);
    } catch {
      // An unknown charset: UTF-8 is the most likely one.
    }
  }
  const text = utf8(response.body);
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
