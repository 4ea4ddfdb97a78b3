import { randomUUID } from 'node:crypto';
import type { HubClient } from '../../../client.js';
import type { Clock } from '../../../clock.js';
import type { EndpointName } from '../../../endpoints.js';
import type { Fetch, FetchInit } from '../../../http/fetch.js';
import type { Purpose } from '../checks/observed.js';
import { pollOf } from '../checks/observed.js';
import type { ExchangeLog } from './exchange-log.js';

const MAX_RESPONSE_MS = 30_000;

export interface MoreRequests {
  readonly hub: HubClient;
  readonly log: ExchangeLog;
  readonly fetch: Fetch;
  readonly clock: Clock;
}

/**
 * Sends what the report needs beyond the usual examination: valid requests a
 * second time, and requests with a wrong credential, which change nothing. An
 * endpoint that did not work, or whose limit leaves no room, gets none.
 */
export async function sendMore(options: MoreRequests): Promise<void> {
  const { hub, log } = options;
  const orderId = pollOf({ exchanges: log.exchanges, results: {} })?.value[0]?.orderId ?? randomUUID();
  log.from('again');
  await ifAllowed(options, 'polling', () => hub.events.poll());
  await ifAllowed(options, 'order', () => hub.orders.get(orderId));
  await ifAllowed(options, 'merchant', () => hub.merchant.get({ fresh: true }));
  for (const [endpoint, purpose, change] of CHANGED) {
    const request = log.sent.get(endpoint);
    const changed = request && change(request.init);
    if (changed) await ifAllowed(options, endpoint, () => resend(options, endpoint, purpose, changed));
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
  { hub, log }: MoreRequests,
  endpoint: EndpointName,
  send: () => Promise<unknown>,
): Promise<void> {
  const before = log.exchanges.filter((each) => each.endpoint === endpoint);
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
  { log, fetch, clock }: MoreRequests,
  endpoint: EndpointName,
  purpose: Purpose,
  init: FetchInit,
): Promise<void> {
  const { url } = log.sent.get(endpoint) as { url: string };
  const timeout = new AbortController();
  const done = new AbortController();
  clock.sleep(MAX_RESPONSE_MS, done.signal).then(
    () => timeout.abort(),
    () => {},
  );
  log.next(endpoint);
  log.from(purpose);
  try {
    const { body } = await log.fetch(url, { ...init, signal: timeout.signal }, fetch);
    if (body) await new Response(body as ReadableStream).arrayBuffer();
  } finally {
    done.abort();
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
