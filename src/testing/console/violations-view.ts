import type { HubState } from '../hub-state.js';
import type { CausedViolation } from '../violations.js';
import type { View } from './changes.js';
import type { ViewQuery } from './query.js';
import type { ViolationRow } from './wire.js';

/**
 * The latest violations of each rule, each with the request that caused it or
 * the order that waits; `limit` is a number for each rule, so that a rule broken
 * often does not hide one broken once.
 */
export function violationsView(state: HubState, { clientId, limit }: ViewQuery): View {
  const all = state
    .causedViolations()
    .filter((each) => clientId === undefined || each.clientId === undefined || each.clientId === clientId);
  const counts: Record<string, number> = {};
  for (const { violation } of all) counts[violation.rule] = (counts[violation.rule] ?? 0) + 1;
  const left = { ...counts };
  const rows: ViolationRow[] = [];
  for (let rank = all.length - 1; rank >= 0; rank -= 1) {
    const found = all[rank] as CausedViolation;
    const { rule } = found.violation;
    const number = left[rule] as number;
    left[rule] = number - 1;
    if (number > (counts[rule] as number) - limit) rows.push(rowOf(state, found, rank, number));
  }
  return { rows, about: { total: all.length, counts } };
}

function rowOf(
  { journal }: HubState,
  { violation, clientId, request, orderId }: CausedViolation,
  rank: number,
  number: number,
): ViolationRow {
  const entry = request === undefined ? undefined : journal.find(request);
  return {
    ...violation,
    message: violation.message.slice(0, 1000),
    key: `${violation.rule}/${number}`,
    rank,
    orderId,
    clientId,
    request,
    path: entry?.path.slice(0, 300),
    method: entry?.method,
  };
}
