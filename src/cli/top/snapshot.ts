import type { PollerHealth } from '../../engine/reports.js';
import { ConfigurationError } from '../../errors/index.js';
import type { FleetHealth } from '../../fleet/fleet-health.js';
import { isObject, parseJson } from '../../reading/json.js';

type Health = Omit<Partial<PollerHealth>, 'lastError'> & {
  readonly lastError?: { readonly code?: unknown; readonly message?: unknown } | null;
};

export interface StoreRow extends Omit<Health, 'status'> {
  readonly storeId: string;
  readonly status: PollerHealth['status'] | 'backing off' | 'refused' | 'unknown';
}

/** What an application publishes. It may be of another version, so any field may be absent. */
export interface Snapshot {
  readonly fleet: Partial<FleetHealth> & Pick<FleetHealth, 'stores'>;
  readonly stores: readonly StoreRow[];
}

const SHAPE = '{ "fleet": fleet.health(), "stores": { "<storeId>": fleet.health(storeId), … } }';

/** @throws {ConfigurationError} the application publishes something else. */
export function readSnapshot(json: string): Snapshot {
  const published = parseJson(json);
  const { fleet, stores = {} } = isObject(published) ? published : {};
  if (!isObject(fleet) || typeof fleet.stores !== 'number' || !isObject(stores)) {
    throw new ConfigurationError('--url', `must serve ${SHAPE} as JSON`);
  }
  return {
    fleet: { ...fleet, stores: fleet.stores },
    stores: Object.entries(stores).map(([storeId, each]) => {
      const health: Health = isObject(each) ? each : {};
      return { ...health, storeId, status: statusOf(health) };
    }),
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
function statusOf({ status, consecutiveFailures, lastError }: Health): StoreRow['status'] {
  if (status === undefined || !STATUSES.has(status)) return 'unknown';
  if (!consecutiveFailures || status === 'standby' || status === 'idle') return status;
  return lastError?.code === 'authentication' ? 'refused' : 'backing off';
}
