import { systemClock } from '../../time/clock.js';
import { exchange } from '../exchange.js';
import type { Play } from './play.js';
import type { Steps } from './script.js';

const TIMEOUT_MS = 10_000;

const UNKNOWN_SHOP = '00000000000000-00000000-0000-4000-8000-000000000000';

/**
 * Creates the order of an item and pushes its CREATED to the application, as the hub would, or as somebody else would.
 *
 * @returns the status of the answer; undefined: there was none.
 */
export async function pushOrder(
  url: string,
  kind: Steps['push']['push'],
  play: Play,
): Promise<number | undefined> {
  const { mock, signal } = play.stage;
  return new Promise((resolve) => {
    let isFirst = true;
    const pushing = mock.push(
      async (request) => {
        // Only CREATED: the next polls bring the other events.
        if (!isFirst) throw new Error('not pushed');
        isFirst = false;
        try {
          const response = await send(request, url, kind, signal);
          resolve(response.status);
          return response;
        } catch (error) {
          resolve(undefined);
          throw error;
        } finally {
          // Not at once: the hub forgets an event whose push was accepted.
          setImmediate(() => pushing.stop());
        }
      },
      {
        attempts: 1,
        ...(kind === 'forged' && { secret: `not ${mock.credentials.clientSecret}` }),
        ...(kind === 'other shop' && { merchantId: UNKNOWN_SHOP }),
      },
    );
    // The first use creates it.
    void play.order;
  });
}

async function send(
  request: Request,
  url: string,
  kind: Steps['push']['push'],
  signal: AbortSignal,
): Promise<Response> {
  const headers = new Headers(request.headers);
  if (kind === 'unsigned') headers.delete('x-app-signature');
  const init: RequestInit = { method: 'POST', headers, body: await request.text(), redirect: 'follow' };
  const { status } = await exchange(url, init, { clock: systemClock, signal, timeoutMs: TIMEOUT_MS });
  return new Response(null, { status });
}
