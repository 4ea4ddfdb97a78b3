import { limitBreaches } from '../support.js';
import type { Pack } from './pack.js';
import { overlapsOf, type Run } from './runs.js';

/** The smallest value that `share` of all values do not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN);
}

export const runsOf = (pack: Pack): Run[] => pack.journals.flatMap(({ runs }) => runs);

/** Breaches in any phase: a limit of the hub, a lost event, an event that was acknowledged unhandled. */
export function breachesOf(pack: Pack): string[] {
  const breaches = [...pack.breaches];
  const runs = runsOf(pack);
  const ended = new Set(runs.filter(({ how }) => how === 'end').map(({ eventId }) => eventId));
  for (const { eventId } of pack.mock.emitted()) {
    if (!ended.has(eventId)) breaches.push(`${eventId} was never handled`);
  }
  for (const { eventId } of pack.mock.pending()) breaches.push(`${eventId} is left at the hub`);
  for (const { eventId, how } of runs) {
    if (how === 'running')
      breaches.push(`the run of ${eventId} has no end although its process was not killed`);
  }
  breaches.push(...limitBreaches(pack.requests));
  for (const { rule, message } of pack.mock.violations()) breaches.push(`${rule}: ${message}`);
  return breaches;
}

/** A breach for each two runs of one event at the same time, unless the earlier run is allowed to overlap. */
export function overlapBreaches(pack: Pack, mayOverlap: (earlier: Run) => boolean = () => false): string[] {
  const overlaps = overlapsOf(runsOf(pack)).filter(([earlier]) => !mayOverlap(earlier));
  return overlaps.map(
    ([a, b]) =>
      `${a.eventId} ran in ${a.pid} (fence ${a.fence}, ${a.how}) and ${b.pid} (fence ${b.fence}, ${b.how}) at once`,
  );
}

/** Orders whose row does not have their last event. */
export function wrongRows(pack: Pack, typeOf: (orderId: string) => string | undefined): string[] {
  const last = new Map(pack.mock.emitted().map(({ orderId, eventType }) => [orderId, eventType]));
  return [...last].filter(([orderId, type]) => typeOf(orderId) !== type).map(([orderId]) => orderId);
}

/** How often listeners and polls failed, by message; for the printed figures. */
function errorsOf(pack: Pack): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of pack.journals.flatMap(({ errors }) => errors)) {
    const kind = text.slice(1, 60);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** The size of a phase. */
export function sizeOf(pack: Pack) {
  return {
    events: pack.mock.emitted().length,
    runs: runsOf(pack).length,
    polls: pack.polls.length,
    tokens: pack.requests.filter(({ endpoint }) => endpoint === 'token').length,
    errors: errorsOf(pack),
  };
}
