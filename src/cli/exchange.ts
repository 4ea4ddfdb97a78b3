import { onAbort } from '../async/promises.js';
import { collectWeb } from '../http/body.js';
import { parseJson } from '../reading/json.js';
import { type Clock, startTimer } from '../time/clock.js';

/** The health of 100,000 stores has half of it. */
const MAX_BODY_MIB = 64;

/**
 * A signal that also aborts after `ms`. Not `AbortSignal.any`: it has no release, and on Node 20 a time limit inside of
 * it is lost with the next garbage collection.
 *
 * @returns also `end`, which must be called when the signal is not needed any more.
 */
export function limited(given: AbortSignal | undefined, clock: Clock, ms: number) {
  const controller = new AbortController();
  const stopListening = given && onAbort(given, () => controller.abort(given.reason));
  const late = new Error(`no complete response within ${ms} ms`);
  const cancelTimer = startTimer(clock, ms, () => controller.abort(late));
  const end = () => {
    cancelTimer();
    stopListening?.();
  };
  return { signal: controller.signal, end };
}

export const isSuccess = ({ status = 0 }: { readonly status?: number | undefined }): boolean =>
  status >= 200 && status < 300;

/** The tokens in the body of a token response. */
export function tokensIn(body: string): readonly string[] {
  const { access_token, accessToken } = Object(parseJson(body)) as Record<string, unknown>;
  return [access_token, accessToken].filter((token) => typeof token === 'string');
}

interface ExchangeOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Default: five seconds. */
  readonly timeoutMs?: number;
}

/**
 * One request to a server of the user's, not to a hub.
 *
 * @throws {Error} there is no response in time, or it is too large; the message is the reason.
 * @throws the signal's reason, if it aborts first.
 */
export async function exchange(
  url: string,
  init: RequestInit,
  { clock, signal, timeoutMs = 5000 }: ExchangeOptions,
) {
  const limit = limited(signal, clock, timeoutMs);
  const release = clock.hold?.();
  try {
    signal?.throwIfAborted();
    const response = await fetch(url, { redirect: 'error', ...init, signal: limit.signal });
    const stream = response.body ?? new Blob([]).stream();
    const { body, cut } = await collectWeb(stream, MAX_BODY_MIB * 1024 * 1024, limit.signal);
    if (cut) throw new Error(`the response is larger than ${MAX_BODY_MIB} MiB; check the address`);
    return { ok: response.ok, status: response.status, text: body.toString('utf8') };
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(reasonOf(error), { cause: error });
  } finally {
    release?.();
    limit.end();
  }
}

/** `fetch` hides why it failed in the causes of its error. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? reasonOf(cause) : message || String((error as { code?: unknown }).code);
}
