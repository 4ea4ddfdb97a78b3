import type { HubState } from '../hub-state.js';
import type { JournalEntry } from '../journal.js';
import type { Violation } from '../rules.js';
import { orderOf } from '../unanswered.js';
import type { View } from './changes.js';
import type { ViewQuery } from './query.js';
import type { ViolationRow } from './wire.js';

/**
 * The latest violations of each rule, each with the request that caused it or
 * the order that waits; `limit` is a number for each rule, so that a rule broken
 * often does not hide one broken once.
 */
export function violationsView(state: HubState, { clientId, limit }: ViewQuery): View {
  const all = violationsOf(state).filter(
    (each) => clientId === undefined || each.clientId === undefined || each.clientId === clientId,
  );
  const counts: Record<string, number> = {};
  const numbered = all.map((found, rank) => {
    const { rule } = found.violation;
    const number = (counts[rule] ?? 0) + 1;
    counts[rule] = number;
    return { ...found, rank, number };
  });
  const rows = numbered
    .filter(({ violation: { rule }, number }) => number > (counts[rule] ?? 0) - limit)
    .map(rowOf);
  return { rows, about: { total: all.length, counts } };
}

interface Found {
  readonly violation: Violation;
  /** Undefined: its request has the credentials of no store. */
  readonly clientId: string | undefined;
  /** The number of the request, and the request if the journal still has it. */
  readonly request?: number | undefined;
  readonly entry?: JournalEntry | undefined;
}

/** As `HubState.violations`, each with its store. */
function violationsOf({ broken, journal, stores }: HubState): Found[] {
  const caused = broken.all.map((violation): Found => {
    const request = broken.requestOf(violation);
    const entry = request === undefined ? undefined : journal.find(request);
    return { violation, clientId: broken.storeOf(violation) ?? entry?.clientId, request, entry };
  });
  const missing = stores.all.flatMap(({ unanswered, credentials: { clientId } }) =>
    unanswered.violations().map((violation): Found => ({ violation, clientId })),
  );
  return [...caused, ...missing].sort((one, other) => one.violation.at - other.violation.at);
}

function rowOf({
  violation,
  clientId,
  request,
  entry,
  rank,
  number,
}: Found & { rank: number; number: number }): ViolationRow {
  const orderId = orderOf(violation);
  return {
    ...violation,
    message: violation.message.slice(0, 1000),
    key: `${violation.rule}/${number}`,
    rank,
    ...(orderId !== undefined && { orderId }),
    ...(clientId !== undefined && { clientId }),
    ...(request !== undefined && { request }),
    ...(entry && { path: entry.path.slice(0, 300), method: entry.method }),
  };
}
