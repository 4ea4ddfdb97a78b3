import { onAbort } from '../async/promises.js';
import { chunksOf, collect } from '../http/body.js';
import { type Clock, startTimer } from '../time/clock.js';

const TIMEOUT_MS = 5000;
/** The health of 100,000 stores has half of it. */
const MAX_BODY_MIB = 64;

/**
 * One request to a server of the user's, not to a hub.
 *
 * @throws {Error} nothing responds within five seconds, or the response is too large; the message is the reason.
 * @throws the signal's reason, if it aborts first.
 */
export async function exchange(url: string, init: RequestInit, clock: Clock, signal?: AbortSignal) {
  const controller = new AbortController();
  // `AbortSignal.any` has no release: as long as the given signal lives, some versions of Node keep what was made of it.
  const stopListening = signal && onAbort(signal, () => controller.abort(signal.reason));
  const late = new Error(`no complete response within ${TIMEOUT_MS} ms`);
  const cancelTimer = startTimer(clock, TIMEOUT_MS, () => controller.abort(late));
  const release = clock.hold?.();
  try {
    signal?.throwIfAborted();
    const response = await fetch(url, { ...init, signal: controller.signal, redirect: 'error' });
    const stream = response.body ?? new Blob([]).stream();
    const { body, cut } = await collect(chunksOf(stream, controller.signal), MAX_BODY_MIB * 1024 * 1024);
    if (cut) throw new Error(`the response is larger than ${MAX_BODY_MIB} MiB; check the address`);
    return { ok: response.ok, status: response.status, text: body.toString('utf8') };
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(reasonOf(error), { cause: error });
  } finally {
    release?.();
    cancelTimer();
    stopListening?.();
  }
}

/** `fetch` hides why it failed in the causes of its error. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? reasonOf(cause) : message || String((error as { code?: unknown }).code);
}
