import type { PollerHealth } from '../../engine/reports.js';
import { ConfigurationError } from '../../errors/index.js';
import { isObject, parseJson } from '../../reading/json.js';

export type Snapshot = ReturnType<typeof readSnapshot>;
export type StoreRow = ReturnType<typeof rowOf>;

const SHAPE =
  'must serve { "fleet": fleet.health(), "stores": { "<storeId>": fleet.health(storeId), … } } as JSON';

const COUNTS = [
  ...(['stores', 'polling', 'backingOff', 'standby', 'refused', 'running', 'unacknowledged'] as const),
  ...(['newestPollMs', 'oldestPollMs', 'oldestOpenMs'] as const),
];

/** Reads what an application publishes. @throws {ConfigurationError} it is something else. */
export function readSnapshot(json: string) {
  const published = parseJson(json);
  const { fleet, stores } = isObject(published) ? published : {};
  if (!isObject(fleet) || typeof fleet.stores !== 'number' || (stores !== undefined && !isObject(stores))) {
    throw new ConfigurationError('--url', SHAPE);
  }
  const counts = Object.fromEntries(COUNTS.map((name) => [name, count(fleet[name])]));
  return {
    fleet: {
      ...(counts as Record<(typeof COUNTS)[number], number>),
      oldestPollStoreId: text(fleet.oldestPollStoreId),
      oldestOpenStoreId: text(fleet.oldestOpenStoreId),
    },
    stores: Object.entries(stores ?? {}).map(([storeId, health]) => rowOf(storeId, health)),
  };
}

function rowOf(storeId: string, published: unknown) {
  const health = isObject(published) ? published : {};
  const pollError = isObject(health.lastError) ? health.lastError : {};
  const listenerError = isObject(health.listenerError) ? health.listenerError : undefined;
  const failures = count(health.consecutiveFailures);
  return {
    storeId,
    status: statusOf(health.status, failures, pollError.code),
    lastPolledAt: instant(health.lastPolledAt),
    nextPollAt: instant(health.nextPollAt),
    failures,
    running: count(health.running),
    unacknowledged: count(health.unacknowledged),
    oldestOpenMs: count(health.oldestOpenMs),
    /** Whether its listeners have failed for an open event. */
    isFailing: listenerError !== undefined,
    handled: count(health.handled),
    error: text(pollError.message) ?? text(listenerError?.message) ?? '',
  };
}

const STATUSES: ReadonlySet<unknown> = new Set<PollerHealth['status']>([
  'idle',
  'starting',
  'standby',
  'running',
  'paused',
  'stopping',
]);

/** A store whose last poll failed has a status of its own here, as in `FleetHealth`. */
function statusOf(
  status: unknown,
  failures: number,
  code: unknown,
): PollerHealth['status'] | 'backing off' | 'refused' | 'unknown' {
  if (!STATUSES.has(status)) return 'unknown';
  if (failures === 0 || status === 'standby' || status === 'idle') return status as PollerHealth['status'];
  return code === 'authentication' ? 'refused' : 'backing off';
}

const instant = (value: unknown) => (Number.isFinite(value) ? (value as number) : undefined);
const count = (value: unknown) => instant(value) ?? 0;
const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
