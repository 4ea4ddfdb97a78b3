import type { Account } from '../auth/account.js';
import { InvalidResponseError, type Issue } from '../errors/index.js';
import { type HubResponse, textOf } from '../http/body.js';
import type { Call } from '../http/call.js';
import type { Quote } from '../observe/redactor.js';
import { readValue } from '../reading/fields.js';
import { event as eventReader } from '../reading/generated/event.js';
import { IssueCollector } from '../reading/issue-collector.js';
import { UNUSABLE } from '../reading/reader.js';
import type { OrderEvent } from '../schemas/event.js';
import { canonicalEventType } from '../schemas/event-types.js';
import { eventsWithin, type PollBody } from './poll-body.js';

/** The result of one poll: its events in the order of the response, and how the response deviates from Spec §2.11. */
export interface PollResult {
  /** The events, in the order of the response. */
  readonly events: readonly OrderEvent[];
  /** Deviations of the response from Spec §2.11. */
  readonly issues: readonly Issue[];
}

// One for all readings: `take` empties it.
const collector = new IssueCollector();

/** How the events of a poll were placed in the response body. */
interface Layout {
  /** Where the array is in the body. */
  readonly path: readonly string[];
  /** The place of each event in that array; undefined if none was left out. */
  readonly places: readonly number[] | undefined;
}

const layouts = new WeakMap<readonly OrderEvent[], Layout>();

const PLAIN: Layout = { path: [], places: undefined };

/** Where an event was in the response body. */
export function pathOf(events: readonly OrderEvent[], index: number): Issue['path'] {
  const { path, places } = layouts.get(events) ?? PLAIN;
  return [...path, places?.[index] ?? index];
}

const asItIs: Quote = (text) => text;

const NO_EVENTS: PollResult = Object.freeze({ events: [], issues: [] });

/** The call of one poll. @param merchants - the shops whose events are polled; undefined: all of the credentials. */
export function pollCall(
  account: Account,
  merchants: readonly string[] | undefined,
  options: Partial<Call<PollResult>>,
): Call<PollResult> {
  return {
    ...options,
    endpoint: 'polling',
    // Polls are counted across processes or not sent at all: the events wait at the hub.
    needsState: true,
    // Hosts expect them joined by commas.
    headers: merchants && { 'x-polling-merchants': merchants.join(',') },
    read: (response) => readPoll(response, (text) => account.quote(text)),
  };
}

/**
 * Reads the response of a poll: an array, an array in `events` or `data`, or an
 * empty body. Each event is read alone, so that a bad one does not affect others.
 *
 * @param quote - for the ids in issues.
 * @throws {InvalidResponseError} the body is something else.
 * @see Spec §4.3, §2.11
 */
export function readPoll(response: HubResponse, quote = asItIs): PollResult {
  const text = response.status === 204 ? '' : textOf(response);
  if (text.trim() === '') return NO_EVENTS;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new InvalidResponseError('polling', 'the body is not valid JSON; check baseUrl', {
      retryable: !/^\s*</.test(text),
    });
  }
  return readEvents(body, quote);
}

/**
 * Reads the events of a JSON body: an array, an array in `events` or `data`, or one event.
 *
 * @throws {InvalidResponseError} the body is something else.
 * @see Spec §2.11
 */
export function readEvents(body: unknown, quote: Quote): PollResult {
  const { elements, path }: PollBody = Array.isArray(body)
    ? { elements: body, path: [] }
    : eventsWithin(body);
  const events: OrderEvent[] = [];
  const places: number[] = [];
  const ids = new Set<string>();
  collector.take();
  for (const key of path) collector.enter(key);
  elements.forEach((element, index) => {
    collector.enter(index);
    const event = readEvent(element);
    if (event) {
      events.push(event);
      places.push(index);
      ids.add(event.eventId);
    } else collector.report('left_out', 'an event without usable ids');
    collector.leave();
  });
  const isWhole = events.length === elements.length;
  layouts.set(events, { path, places: isWhole ? undefined : places });
  if (ids.size < events.length) for (const issue of duplicatesAmong(events, quote)) collector.add(issue);
  return { events, issues: collector.take().issues };
}

/** The event, frozen, with the standard's present name of its type; undefined if it has no usable ids. */
function readEvent(element: unknown): OrderEvent | undefined {
  const read = readValue(element, eventReader, collector);
  if (read === UNUSABLE) return undefined;
  const received = read as OrderEvent;
  if (received.eventId === '' || received.orderId === '' || received.eventType === '') return undefined;
  const eventType = canonicalEventType(received.eventType);
  // The received name is kept for the acknowledgment.
  const event =
    eventType === received.eventType
      ? received
      : { ...received, eventType, receivedEventType: received.eventType };
  return frozen(event);
}

/** Two events with one id and different content are two events: both are handled, and both are reported. */
export function duplicateIssue(path: Issue['path'], eventId: string): Issue {
  const message = `another event with different content has the same id ${eventId}; both are handled`;
  return { path, code: 'duplicate_id', message, against: 'sense' };
}

function duplicatesAmong(events: readonly OrderEvent[], quote: Quote): Issue[] {
  const keys = new Map<string, Set<string>>();
  for (const event of events) {
    const known = keys.get(event.eventId) ?? new Set();
    keys.set(event.eventId, known.add(keyOf(event)));
  }
  return events.flatMap((event, index) =>
    (keys.get(event.eventId)?.size ?? 0) > 1
      ? [duplicateIssue(pathOf(events, index), quote(event.eventId))]
      : [],
  );
}

/** Freezes every level: a listener that changes an event would change what is acknowledged and what others see. */
export function frozen(event: OrderEvent): OrderEvent {
  const found: object[] = [event];
  // Not recursive: metadata may be nested deeper than the stack.
  for (const object of found) {
    Object.freeze(object);
    for (const key in object) {
      const inner: unknown = object[key as keyof typeof object];
      // `in` also visits what an application has added to Object.prototype.
      if (typeof inner !== 'object' || inner === null || !Object.hasOwn(object, key)) continue;
      if (!Object.isFrozen(inner)) found.push(inner);
    }
  }
  return event;
}

/**
 * Identifies an event by its id and its content. Some hubs have used one id for
 * two events; by the id alone, the second would count as handled.
 *
 * The content is what the standard defines for an event, without its URL: a hub
 * that moves to another address sends the same events.
 */
export function keyOf(event: OrderEvent): string {
  const {
    eventId,
    orderId,
    eventType,
    createdAt = '',
    sourceAppId = '',
    virtualBrand = '',
    metadata,
  } = event;
  hash.a = FIRST_START;
  hash.b = SECOND_START;
  add(orderId);
  add(eventType);
  add(createdAt);
  add(sourceAppId);
  add(virtualBrand);
  if (metadata !== undefined) add(canonicalJson(metadata));
  // 30 bits of each: small integers become strings ten times faster than any other number.
  return `${eventId}#${hash.a >>> 2}-${hash.b >>> 2}`;
}

/** JSON with sorted keys: a hub may send the same metadata in another order. */
function canonicalJson(value: unknown): string {
  try {
    return JSON.stringify(value, (_key, inner: unknown) => {
      if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
      return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
    });
  } catch {
    // Nested deeper than the stack: the key uses the other fields only.
    return '';
  }
}

const FIRST_START = 0x811c9dc5;
const SECOND_START = 0x9747b28c;

/**
 * FNV-1a with two different starts: 60 bits are enough to distinguish the few
 * events that share an id. It is not a string that is built first: the fields
 * of a thousand events would be copied for nothing.
 */
const hash = { a: FIRST_START, b: SECOND_START };

/** Adds a field, and the end of it. */
function add(field: string): void {
  let { a, b } = hash;
  for (let index = 0; index < field.length; index += 1) {
    const unit = field.charCodeAt(index);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x01000193);
  }
  hash.a = Math.imul(a ^ 0x0a, 0x01000193);
  hash.b = Math.imul(b ^ 0x0a, 0x01000193);
}
