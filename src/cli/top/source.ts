import type { Clock } from '../../clock.js';
import { ConfigurationError } from '../../errors.js';
import { type Exchanged, exchange } from '../exchange.js';

/**
 * Reads what the application publishes.
 *
 * @throws {ConfigurationError} nothing responds within five seconds, or with another status than 2xx or 503.
 */
export async function fetchText(url: string, clock: Clock, signal: AbortSignal): Promise<string> {
  const fail = (reason: string) => new ConfigurationError('--url', `${url} cannot be read: ${reason}`);
  let response: Exchanged;
  try {
    response = await exchange(url, { headers: { accept: 'application/json' } }, clock, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw fail((error as Error).message);
  }
  // A health check responds with 503 while the application is not well: its body is what we are here for.
  if (response.ok || response.status === 503) return response.text;
  throw fail(`the response has status ${response.status}`);
}
