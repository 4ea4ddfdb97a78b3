import type { EndpointName } from '../endpoints.js';
import { InvalidResponseError, type Issue } from '../errors.js';
import { utf8 } from './body.js';
import type { HubResponse } from './transport.js';

/** The JSON of a successful answer. */
export function readJson(endpoint: EndpointName, answer: HubResponse): unknown {
  const text = textOf(answer);
  if (text.trim() === '') throw new InvalidResponseError(endpoint, 'the body is empty, JSON was expected');
  try {
    return JSON.parse(text);
  } catch (cause) {
    const kind = /^\s*</.test(text) ? 'HTML or XML' : 'no valid JSON';
    throw new InvalidResponseError(endpoint, `the body is ${kind}, JSON was expected; check baseUrl`, {
      // JSON.parse quotes what it read, and that may hold a secret.
      cause: cause instanceof Error ? new SyntaxError('not valid JSON') : undefined,
      retryable: kind === 'no valid JSON',
    });
  }
}

/** The body as text: UTF-8 unless the hub names another charset. */
export function textOf(answer: HubResponse): string {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(answer.header('content-type') ?? '')?.[1];
  if (charset && !/^utf-?8$/i.test(charset)) {
    try {
      return new TextDecoder(charset).decode(answer.body);
    } catch {
      // An unknown charset: UTF-8 is the likeliest.
    }
  }
  const text = utf8(answer.body);
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Issues quote the document, and a hub may echo a secret anywhere in it. */
export function scrubIssues(issues: readonly Issue[], scrub: (text: string) => string): readonly Issue[] {
  // A menu says the same thousands of times.
  const scrubbed = new Map<string, string>();
  return issues.map((issue) => {
    const message = scrubbed.get(issue.message) ?? scrub(issue.message);
    scrubbed.set(issue.message, message);
    return message === issue.message ? issue : { ...issue, message };
  });
}
