import { InvalidResponseError, type Issue } from '../errors.js';
import { type HubResponse, textOf } from '../http/response.js';
import { readValue } from '../reading/fields.js';
import { event as eventReader } from '../reading/generated/event.js';
import { IssueCollector } from '../reading/issue-collector.js';
import { UNUSABLE } from '../reading/reader.js';
import type { OrderEvent } from '../schemas/event.js';
import { canonicalEventType } from '../schemas/event-types.js';
import { keyOf } from './event-key.js';
import type { Quote } from './poller-context.js';

/** The result of one poll: its events in the order of the response, and how the response deviates from Spec §2.11. */
export interface PollResult {
  /** The events, in the order of the response. */
  readonly events: readonly OrderEvent[];
  /** Deviations of the response from Spec §2.11. */
  readonly issues: readonly Issue[];
}

// One collector for all readings: with one per reading, V8 drops the optimized code at every garbage collection.
const collector = new IssueCollector();

/** How the events of a poll were placed in the response body. */
interface Layout {
  /** Where the array is in the body. */
  readonly path: readonly string[];
  /** The place of each event in that array; undefined if none was left out. */
  readonly places: readonly number[] | undefined;
  /** Whether two of the events have the same id. */
  readonly hasRepeatedIds: boolean;
}

const layouts = new WeakMap<readonly OrderEvent[], Layout>();

const PLAIN: Layout = { path: [], places: undefined, hasRepeatedIds: false };

/** The layout of the events that `readPoll` has returned. */
export const layoutOf = (events: readonly OrderEvent[]): Layout => layouts.get(events) ?? PLAIN;

/** Where an event was in the response body. */
export function pathOf(events: readonly OrderEvent[], index: number): Issue['path'] {
  const { path, places } = layoutOf(events);
  return [...path, places?.[index] ?? index];
}

const asItIs: Quote = (text) => text;

const NO_EVENTS: PollResult = Object.freeze({ events: [], issues: [] });

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
export function readEvents(body: unknown, quote = asItIs): PollResult {
  const { elements, path } = elementsOf(body);
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
  const hasRepeatedIds = ids.size < events.length;
  const isWhole = events.length === elements.length;
  layouts.set(events, { path, places: isWhole ? undefined : places, hasRepeatedIds });
  if (hasRepeatedIds) for (const issue of duplicatesAmong(events, quote)) collector.add(issue);
  return { events, issues: collector.take() };
}

/** The event, frozen; undefined if it has no usable ids. */
function readEvent(element: unknown): OrderEvent | undefined {
  const event = readValue(element, eventReader, collector);
  if (event === UNUSABLE || !hasIds(event as OrderEvent)) return undefined;
  return frozen(canonical(event as OrderEvent));
}

/** Keys under which a hub may send its array of events. */
const ARRAY_KEYS = ['events', 'data'];

/**
 * The events in a poll's body and where they are. As everywhere, `null` counts
 * as absent: the array under the other key is read; if both are absent, there
 * are no events.
 */
function elementsOf(body: unknown): { elements: readonly unknown[]; path: readonly string[] } {
  if (Array.isArray(body)) return { elements: body, path: [] };
  if (body === null) return { elements: [], path: [] };
  if (typeof body === 'object') {
    for (const key of ARRAY_KEYS) {
      const inner: unknown = Object.hasOwn(body, key) ? Reflect.get(body, key) : undefined;
      if (Array.isArray(inner)) return { elements: inner, path: [key] };
    }
    if ('eventId' in body && 'orderId' in body) return { elements: [body], path: [] };
    if (hasNullArray(body)) return { elements: [], path: [] };
  }
  throw new InvalidResponseError(
    'polling',
    'the body does not contain an array of events; check baseUrl and basePath',
    {
      issues: [
        {
          path: [],
          code: 'invalid',
          message: 'expected an array, or an array in `events` or `data`',
          against: 'standard',
        },
      ],
    },
  );
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
function frozen<T extends object>(event: T): T {
  Object.freeze(event);
  // Not recursive: metadata may be nested deeper than the stack.
  const inner = objectsIn(event);
  for (const each of inner ?? []) {
    Object.freeze(each);
    for (const deeper of objectsIn(each) ?? []) inner?.push(deeper);
  }
  return event;
}

/** Its values that are objects and not frozen; undefined if there are none. */
function objectsIn(value: object): object[] | undefined {
  let found: object[] | undefined;
  for (const key in value) {
    const inner: unknown = value[key as keyof typeof value];
    // `in` also visits what an application has added to Object.prototype.
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(value, key)) continue;
    if (Object.isFrozen(inner)) continue;
    if (found) found.push(inner);
    else found = [inner];
  }
  return found;
}

/**
 * Whether the body has `null` in the place of the array.
 *
 * @throws {InvalidResponseError} the body also contains an error: the hub failed, and a poller that read this
 * as "no events" would never report it.
 */
function hasNullArray(body: object): boolean {
  const own = (key: string): unknown => (Object.hasOwn(body, key) ? Reflect.get(body, key) : undefined);
  if (!ARRAY_KEYS.some((key) => own(key) === null)) return false;
  if ((own('error') ?? own('errors') ?? null) === null) return true;
  throw new InvalidResponseError('polling', 'the hub sent status 200 with an error and without events', {
    retryable: true,
  });
}

function hasIds(event: { eventId: string; orderId: string; eventType: string }): boolean {
  return event.eventId !== '' && event.orderId !== '' && event.eventType !== '';
}

/** The event with the standard's present name of its type; the received name is kept for the acknowledgment. */
function canonical(event: OrderEvent): OrderEvent {
  const eventType = canonicalEventType(event.eventType);
  if (eventType === event.eventType) return event;
  return { ...event, eventType, receivedEventType: event.eventType };
}
