import type { HubState } from '../hub-state.js';
import type { JournalEntry } from '../journal.js';
import type { View } from './changes.js';
import type { ViewQuery } from './query.js';
import type { RequestRow } from './wire.js';

/** The latest requests that match. Reads the journal from its end, and stops when the window is full. */
export function requestsView(state: HubState, query: ViewQuery): View {
  const { entries } = state.journal;
  const rows: RequestRow[] = [];
  for (let at = entries.length - 1; at >= 0 && rows.length < query.limit; at -= 1) {
    const entry = entries[at] as JournalEntry;
    if (matches(entry, query)) rows.push(requestRow(state, entry));
  }
  return { rows, about: { total: entries.length } };
}

function matches(entry: JournalEntry, { clientId, endpoint, onlyFailed, text }: ViewQuery): boolean {
  if (clientId !== undefined && entry.clientId !== clientId) return false;
  if (endpoint !== undefined && entry.endpoint !== endpoint) return false;
  if (onlyFailed && entry.status !== undefined && entry.status >= 200 && entry.status < 400) return false;
  return text === '' || entry.path.toLowerCase().includes(text) || entry.body.toLowerCase().includes(text);
}

function requestRow(state: HubState, entry: JournalEntry): RequestRow {
  const { at, endpoint, method, path, clientId, status, monotonicAt, answeredMonotonicAt } = entry;
  const number = state.journal.numberOf(entry);
  const broken = state.broken.brokenBy(entry).map(({ rule }) => rule);
  return {
    key: String(number),
    rank: number,
    number,
    at,
    method,
    path: path.slice(0, 300),
    endpoint,
    clientId,
    status,
    durationMs: answeredMonotonicAt === undefined ? undefined : answeredMonotonicAt - monotonicAt,
    fault: entry.fault?.type,
    events: entry.events?.length || undefined,
    acknowledged: entry.acknowledged?.length,
    broken: broken.length > 0 ? broken : undefined,
  };
}

/** The longest body that the page shows. */
const MAX_BODY = 20_000;
/** At most this many events of a poll are shown. */
const MAX_EVENTS = 100;

/** Everything about one request. Undefined: the journal does not have it any more. */
export function requestDetails(state: HubState, number: number): unknown {
  const entry = state.journal.find(number);
  if (!entry) return undefined;
  const { headers, body, fault, events, acknowledged } = entry;
  const violations = state.broken.brokenBy(entry);
  return {
    row: requestRow(state, entry),
    headers,
    body: body.slice(0, MAX_BODY),
    fault,
    events: events
      ?.slice(0, MAX_EVENTS)
      .map(({ eventId, eventType, orderId }) => ({ eventId, eventType, orderId })),
    acknowledged: acknowledged?.slice(0, MAX_EVENTS),
    violations: violations.map(({ rule, message }) => ({ rule, message })),
  };
}
