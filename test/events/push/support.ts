import { createHmac } from 'node:crypto';
import type { EventPoller, HubClientOptions, PollerOptions } from 'opendelivery-client';
import { ManualClock, type MockHubOptions } from 'opendelivery-client/testing';
import { drawOf } from '../../../src/testing/random.js';
import { stage } from '../../support.js';

export const SECRET = 'mock-client-secret';

/** The signature of a body, as the standard says. */
export const signatureOf = (body: string | Uint8Array, secret = SECRET): string =>
  createHmac('sha256', secret).update(body).digest('hex');

/** What a hub pushes. */
export function pushOf(
  body: unknown,
  { secret = SECRET, ...headers }: { readonly secret?: string } & Record<string, string> = {},
): Request {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Request('https://pos.example/newEvent', {
    method: 'POST',
    headers: { 'x-app-signature': signatureOf(text, secret), ...headers },
    body: text,
  });
}

export interface RunningOptions extends Partial<HubClientOptions> {
  readonly hubOptions?: MockHubOptions;
  readonly poller?: PollerOptions;
}

/** A poller that runs, and what its listeners have noted: by default the ids of all events. */
export async function running(
  { poller: options, hubOptions, ...more }: RunningOptions = {},
  listen = (poller: EventPoller, noted: string[]): unknown =>
    poller.on('event', ({ eventId }) => void noted.push(eventId)),
) {
  const all = stage(hubOptions, more);
  const poller = all.hub.poller(options);
  const noted: string[] = [];
  listen(poller, noted);
  const started = poller.start();
  const clock = more.clock instanceof ManualClock ? more.clock : all.clock;
  await clock.advance('5s');
  await started;
  return { ...all, clock, poller, noted };
}

export const statusOf = async (response: Promise<Response>): Promise<number> => (await response).status;

/** Numbers from 0 to 1, the same for each seed. */
export function seeded(seed: number): () => number {
  let draws = 0;
  return () => drawOf(seed, (draws += 1));
}
