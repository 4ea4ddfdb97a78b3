import { InvalidResponseError, type Issue } from '../errors.js';
import { type HubResponse, scrubIssues, textOf } from '../http/response.js';
import { MAX_ISSUES, NOT_ALL } from '../reading/issue-collector.js';
import { lenientReader } from '../reading/lenient.js';
import { eventSchema, type OrderEvent } from '../schemas/event.js';
import { canonicalEventType } from '../schemas/event-types.js';
import { keyOf } from './event-key.js';

/** What one poll brought: events in the order of their arrival, and what was wrong with others. */
export interface PollResult {
  /** The events, in the order of the response. */
  readonly events: readonly OrderEvent[];
  /** Deviations of the response from Spec §2.11. */
  readonly issues: readonly Issue[];
}

const readEvent = lenientReader(eventSchema);

const paths = new WeakMap<OrderEvent, Issue['path']>();

/** Where in the answer the event was. */
export const pathOf = (event: OrderEvent): Issue['path'] => paths.get(event) ?? [];

const NOTHING: PollResult = Object.freeze({ events: [], issues: [] });

/**
 * Reads the answer of a poll: a list, a list in `events` or `data`, or nothing.
 * Each event is read alone, so that a bad one costs no other.
 *
 * @throws {InvalidResponseError} it is none of these.
 * @see Spec §4.3, §2.11
 */
export function readPoll(answer: HubResponse): PollResult {
  const text = answer.status === 204 ? '' : textOf(answer);
  if (text.trim() === '') return NOTHING;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new InvalidResponseError('polling', 'the body is not valid JSON; check baseUrl', {
      retryable: !/^\s*</.test(text),
    });
  }
  const { list, path } = listOf(body);
  const events: OrderEvent[] = [];
  const issues: Issue[] = [];
  const note = (issue: Issue) => {
    if (issues.length <= MAX_ISSUES) issues.push(issues.length < MAX_ISSUES ? issue : NOT_ALL);
  };
  list.forEach((element, index) => {
    const reading = readEvent(element);
    for (const { path: inner, ...issue } of reading.issues) {
      note({ path: [...path, index, ...inner], ...issue });
    }
    if (!reading.usable || !hasIds(reading.value)) {
      note({ path: [...path, index], code: 'left_out', message: 'an event without usable ids' });
      return;
    }
    const event = frozen(canonical(reading.value as OrderEvent));
    events.push(event);
    paths.set(event, [...path, index]);
  });
  for (const issue of duplicatesAmong(events)) note(issue);
  return { events, issues: scrubIssues(issues, answer.scrub) };
}

/** Keys under which a hub lists its events. */
const LIST_KEYS = ['events', 'data'];

/**
 * The list of a poll's body and where in it. As everywhere, `null` counts as
 * absent: the list under the other key is read, and without one there are no events.
 */
function listOf(body: unknown): { list: readonly unknown[]; path: readonly string[] } {
  if (Array.isArray(body)) return { list: body, path: [] };
  if (body === null) return { list: [], path: [] };
  if (typeof body === 'object') {
    for (const key of LIST_KEYS) {
      const inner: unknown = Object.hasOwn(body, key) ? Reflect.get(body, key) : undefined;
      if (Array.isArray(inner)) return { list: inner, path: [key] };
    }
    if ('eventId' in body && 'orderId' in body) return { list: [body], path: [] };
    if (isEmptyList(body)) return { list: [], path: [] };
  }
  throw new InvalidResponseError('polling', 'the body holds no list of events; check baseUrl and basePath', {
    issues: [{ path: [], code: 'invalid', message: 'expected a list, or a list in `events` or `data`' }],
  });
}

/** Two events with one id are two events: each is handled, and reported. */
export function duplicateIssue(path: Issue['path'], eventId: string): Issue {
  const message = `another event with other content has the id ${eventId} too; both are handled`;
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

/** Whole: a listener that changes it would change what is acknowledged, and what other listeners see. */
function frozen<T>(value: T): T {
  // Not recursive: metadata may be nested deeper than any stack.
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
 * Whether `null` stands where a list should.
 *
 * @throws {InvalidResponseError} beside it is an error: the hub failed, and a poller that
 * read this as "no events" would never report it.
 */
function isEmptyList(body: object): boolean {
  const own = (key: string): unknown => (Object.hasOwn(body, key) ? Reflect.get(body, key) : undefined);
  if (!LIST_KEYS.some((key) => own(key) === null)) return false;
  if ((own('error') ?? own('errors') ?? null) === null) return true;
  throw new InvalidResponseError('polling', 'the hub answered 200 with an error and without events', {
    retryable: true,
  });
}

function hasIds(event: { eventId: string; orderId: string; eventType: string }): boolean {
  return event.eventId !== '' && event.orderId !== '' && event.eventType !== '';
}

/** The event under the present name of its type; the one it came with is kept for the acknowledgment. */
function canonical(event: OrderEvent): OrderEvent {
  const eventType = canonicalEventType(event.eventType);
  if (eventType === event.eventType) return event;
  return { ...event, eventType, receivedEventType: event.eventType };
}
