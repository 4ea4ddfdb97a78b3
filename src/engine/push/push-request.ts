import { type PollResult, readEvents } from '../../events/read.js';
import { chunksOf, collect, utf8 } from '../../http/body.js';
import type { Quote } from '../../observe/redactor.js';
import type { OrderEvent } from '../../schemas/event.js';
import { type Clock, startTimer } from '../../time/clock.js';
import type { Refusal } from './refusal.js';
import { isSignature, isSignedBy } from './signature.js';

export interface PushChecks {
  /** The secrets that the hub may sign with. */
  readonly secrets: readonly string[];
  readonly quote: Quote;
  /** How long a handled event is remembered, in ms. */
  readonly rememberMs: number;
  /** Epoch ms. */
  readonly now: number;
}

/** An event has less than a kilobyte. Anybody can send a body and wait. */
const MAX_BODY_BYTES = 262_144;

const BODY_TIMEOUT_MS = 30_000;

/** Reads the body of a request, and refuses a large or slow one. */
export async function readBody(request: Request, clock: Clock): Promise<Uint8Array | Refusal> {
  const tooLarge: Refusal = { status: 413, title: `the body has more than ${MAX_BODY_BYTES} bytes` };
  if (Number(request.headers.get('content-length')) > MAX_BODY_BYTES) return tooLarge;
  if (!request.body) return new Uint8Array();
  const controller = new AbortController();
  const cancelTimer = startTimer(clock, BODY_TIMEOUT_MS, () => controller.abort());
  try {
    const { body, cut } = await collect(chunksOf(request.body, controller.signal), MAX_BODY_BYTES);
    return cut ? tooLarge : body;
  } catch {
    return { status: 408, title: 'the body did not arrive' };
  } finally {
    cancelTimer();
  }
}

const WRONG_SIGNATURE: Refusal = {
  status: 403,
  title: 'X-App-Signature is not the HMAC-SHA256 of the body with the client secret',
};

const signatureIn = (headers: Headers) => headers.get('x-app-signature')?.trim() ?? '';

/**
 * What needs no body to be refused.
 *
 * @param unsigned - the status for a push without a signature.
 */
export function refusalOf({ method, headers }: Request, unsigned: 401 | 403): Refusal | undefined {
  if (method !== 'POST') return { status: 405, title: 'send POST', headers: { allow: 'POST' } };
  return isSignature(signatureIn(headers)) ? undefined : { ...WRONG_SIGNATURE, status: unsigned };
}

/** Checks who has signed the request, and reads its events. */
export function readPush(body: Uint8Array, headers: Headers, checks: PushChecks): PollResult | Refusal {
  if (!isSignedBy(body, signatureIn(headers), checks.secrets)) return WRONG_SIGNATURE;
  let found: PollResult;
  try {
    found = readEvents(JSON.parse(utf8(body)), checks.quote);
  } catch {
    return { status: 400, title: 'the body is not an event in JSON' };
  }
  if (found.events.length === 0) return { status: 400, title: 'the body has no event with usable ids' };
  if (!found.events.every((event) => isRecent(event, checks))) {
    return { status: 403, title: 'createdAt is missing, unreadable, or too far from the present time' };
  }
  const merchantId = headers.get('x-app-merchantid')?.trim();
  return merchantId
    ? { ...found, events: found.events.map((event) => ofMerchant(event, merchantId)) }
    : found;
}

/** The event with its shop, as some hosts write it into the event itself. */
function ofMerchant(event: OrderEvent, merchantId: string): OrderEvent {
  return 'merchantId' in event ? event : Object.freeze({ ...event, merchantId });
}

/**
 * Whether the event is handled only once, however often somebody sends it. The signature has no date, so an old
 * push may be sent again by anybody who has recorded it; `createdAt` tells whether the mark of its first handling
 * must still exist. The hub's clock may be ahead by a quarter of `rememberMs`: it is accepted that much earlier,
 * and refused that much before the mark ends.
 */
function isRecent({ createdAt }: OrderEvent, { now, rememberMs }: PushChecks): boolean {
  const ageMs = now - Date.parse(createdAt ?? '');
  return ageMs < rememberMs * 0.75 && -ageMs < rememberMs * 0.25;
}
