import { InvalidResponseError, type Issue } from '../errors.js';
import { type HubResponse, scrubIssues, textOf } from '../http/response.js';
import { MAX_ISSUES, NOT_ALL } from '../reading/issue-collector.js';
import { lenientReader } from '../reading/lenient.js';
import { eventSchema, type OrderEvent } from '../schemas/event.js';
import { canonicalEventType } from '../schemas/event-types.js';
import { keyOf } from './event-key.js';

/** The result of one poll: its events in the order of the response, and how the response deviates from Spec §2.11. */
export interface PollResult {
  /** The events, in the order of the response. */
  readonly events: readonly OrderEvent[];
  /** Deviations of the response from Spec §2.11. */
  readonly issues: readonly Issue[];
}

const readEvent = lenientReader(eventSchema);

const paths = new WeakMap<OrderEvent, Issue['path']>();

/** Where the event was in the response body. */
export const pathOf = (event: OrderEvent): Issue['path'] => paths.get(event) ?? [];

const NO_EVENTS: PollResult = Object.freeze({ events: [], issues: [] });

/**
 * Reads the response of a poll: an array, an array in `events` or `data`, or an
 * empty body. Each event is read alone, so that a bad one does not affect others.
 *
 * @throws {InvalidResponseError} the body is something else.
 * @see Spec §4.3, §2.11
 */
export function readPoll(response: HubResponse): PollResult {
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
  const { elements, path } = elementsOf(body);
  const events: OrderEvent[] = [];
  const issues: Issue[] = [];
  const report = (issue: Issue) => {
    if (issues.length <= MAX_ISSUES) issues.push(issues.length < MAX_ISSUES ? issue : NOT_ALL);
  };
  elements.forEach((element, index) => {
    const reading = readEvent(element);
    for (const { path: inner, ...issue } of reading.issues) {
      report({ path: [...path, index, ...inner], ...issue });
    }
    if (!reading.usable || !hasIds(reading.value)) {
      report({ path: [...path, index], code: 'left_out', message: 'an event without usable ids' });
      return;
    }
    const event = frozen(canonical(reading.value as OrderEvent));
    events.push(event);
    paths.set(event, [...path, index]);
  });
  for (const issue of duplicatesAmong(events)) report(issue);
  return { events, issues: scrubIssues(issues, response.scrub) };
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
        { path: [], code: 'invalid', message: 'expected an array, or an array in `events` or `data`' },
      ],
    },
  );
}

/** Two events with one id and different content are two events: both are handled, and both are reported. */
export function duplicateIssue(path: Issue['path'], eventId: string): Issue {
  const message = `another event with different content has the same id ${eventId}; both are handled`;
  return { path, code: 'duplicate_id', message };
}

function duplicatesAmong(events: readonly OrderEvent[]): Issue[] {
  const contents = new Map<string, Set<string>>();
  for (const event of events) {
    const keys = contents.get(event.eventId);
    if (keys) keys.add(keyOf(event));
    else contents.set(event.eventId, new Set([keyOf(event)]));
  }
  return events.flatMap((event) =>
    (contents.get(event.eventId)?.size ?? 0) > 1 ? [duplicateIssue(pathOf(event), event.eventId)] : [],
  );
}

/** Freezes every level: a listener that changes an event would change what is acknowledged and what others see. */
function frozen<T>(value: T): T {
  // Not recursive: metadata may be nested deeper than the stack.
  const objects: object[] = [];
  const add = (found: unknown) => {
    if (typeof found === 'object' && found !== null && !Object.isFrozen(found)) objects.push(found);
  };
  add(value);
  for (const each of objects) {
    Object.freeze(each);
    for (const inner of Object.values(each)) add(inner);
  }
  return value;
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
