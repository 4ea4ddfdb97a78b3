import { onAbort } from '../../async/abort.js';
import { startTimer } from '../../async/timer.js';
import type { Clock } from '../../clock.js';
import { ConfigurationError } from '../../errors.js';

const TIMEOUT_MS = 5000;

/**
 * Reads what the application publishes.
 *
 * @throws {ConfigurationError} nothing responds within five seconds, or with another status than 2xx or 503.
 */
export async function fetchText(url: string, clock: Clock, signal: AbortSignal): Promise<string> {
  const controller = new AbortController();
  const stopListening = onAbort(signal, () => controller.abort(signal.reason));
  const late = new Error(`no complete response within ${TIMEOUT_MS} ms`);
  const cancelTimer = startTimer(clock, TIMEOUT_MS, () => controller.abort(late));
  const release = clock.hold?.();
  try {
    const init = {
      signal: controller.signal,
      redirect: 'error',
      headers: { accept: 'application/json' },
    } as const;
    const response = await fetch(url, init);
    // A health check responds with 503 while the application is not well: its body is what we are here for.
    if (response.ok || response.status === 503) return await response.text();
    throw new Error(`the response has status ${response.status}`);
  } catch (error) {
    signal.throwIfAborted();
    throw new ConfigurationError('--url', `${url} cannot be read: ${reasonOf(error)}`);
  } finally {
    release?.();
    cancelTimer();
    stopListening();
  }
}

/** `fetch` hides why it failed in the causes of its error. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? reasonOf(cause) : message || String((error as { code?: unknown }).code);
}
