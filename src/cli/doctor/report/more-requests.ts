import { randomUUID } from 'node:crypto';
import type { HubClient } from '../../../client.js';
import type { FetchInit } from '../../../http/fetch.js';
import type { EndpointName } from '../../../hub/endpoints.js';
import type { Clock } from '../../../time/clock.js';
import { limited } from '../../exchange.js';
import { type Purpose, pollOf } from '../checks/observed.js';
import type { Recorded, Recorder } from '../recorder.js';

const MAX_RESPONSE_MS = 30_000;

interface MoreRequests {
  readonly hub: HubClient;
  readonly recorder: Recorder;
  readonly clock: Clock;
}

/**
 * Sends what the report needs beyond the usual examination: valid requests a
 * second time, and requests with a wrong credential, which change nothing. An
 * endpoint that did not work, or whose limit leaves no room, gets none.
 */
export async function sendMore(options: MoreRequests): Promise<void> {
  const { hub, recorder } = options;
  const orderId = pollOf(recorder)?.events[0]?.orderId ?? randomUUID();
  recorder.purpose = 'again';
  await ifAllowed(options, 'polling', () => hub.events.poll());
  await ifAllowed(options, 'order', () => hub.orders.get(orderId));
  await ifAllowed(options, 'merchant', () => hub.merchant.get({ fresh: true }));
  for (const [endpoint, purpose, change] of CHANGED) {
    const request = recorder.exchanges.findLast((each) => each.endpoint === endpoint);
    const init = request && change(request.init);
    if (init) await ifAllowed(options, endpoint, () => resend(options, purpose, { ...request, init }));
  }
}

/** A token that no hub has issued. */
const wrongToken = (init: FetchInit) => withHeader(init, 'authorization', `Bearer ${randomUUID()}`);

/** Undefined: this request cannot be changed so. */
type Change = (init: FetchInit) => FetchInit | undefined;

const CHANGED: ReadonlyArray<readonly [EndpointName, Purpose, Change]> = [
  ['order', 'wrong_credential', wrongToken],
  ['acknowledgment', 'wrong_credential', wrongToken],
  ['merchant', 'wrong_credential', (init) => withHeader(init, 'x-api-key', randomUUID())],
  ['token', 'wrong_credential', (init) => withParameter(init, 'client_secret', randomUUID())],
  ['token', 'malformed', (init) => withParameter(init, 'grant_type', 'unknown_grant')],
];

/** Sends nothing if the endpoint did not respond to the first request, or after a 429. */
async function ifAllowed(
  { hub, recorder }: MoreRequests,
  endpoint: EndpointName,
  send: () => Promise<unknown>,
): Promise<void> {
  const before = recorder.exchanges.filter((each) => each.endpoint === endpoint);
  if (before.length === 0 || before.some(({ status = 429 }) => status === 429)) return;
  // The client does not count what `resend` has sent.
  const uncounted = before.filter(({ purpose }) => purpose !== 'first' && purpose !== 'again').length;
  if (hub.rateLimits()[endpoint].remaining <= uncounted) return;
  try {
    await send();
  } catch {
    // The log has the response; the checks say what it means.
  }
}

/** Sends a request without the client, which would renew the token after a 401. */
async function resend(
  { recorder, clock }: MoreRequests,
  purpose: Purpose,
  { endpoint, url, init }: Recorded,
): Promise<void> {
  const limit = limited(undefined, clock, MAX_RESPONSE_MS);
  recorder.endpoint = endpoint;
  recorder.purpose = purpose;
  try {
    const { body } = await recorder.fetch(url, { ...init, signal: limit.signal });
    if (body) await new Response(body as ReadableStream).arrayBuffer();
  } finally {
    limit.end();
  }
}

function withHeader(init: FetchInit, name: string, value: string): FetchInit {
  return { ...init, headers: { ...init.headers, [name]: value } };
}

/** Undefined: a host with a profile has this parameter elsewhere, in JSON or in a header. */
function withParameter(init: FetchInit, name: string, value: string): FetchInit | undefined {
  const form = new URLSearchParams(init.body);
  if (!form.has(name)) return undefined;
  form.set(name, value);
  return { ...init, body: form.toString() };
}
