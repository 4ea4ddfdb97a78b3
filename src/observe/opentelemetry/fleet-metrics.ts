import type { BatchObservableCallback, Meter, ObservableGauge } from '@opentelemetry/api';
import type { FleetHealth } from '../../fleet/fleet-health.js';
import { histogramOf } from './metrics.js';

/** What is needed of a `HubFleet`. */
export interface ObservedFleet {
  /** What the fleet is doing. */
  health(): FleetHealth;
  /** Adds an observer of failed polls. */
  on(name: 'backoff', observer: (backoff: { readonly delayMs: number }) => unknown): unknown;
  /** Removes it. */
  off(name: 'backoff', observer: (backoff: { readonly delayMs: number }) => unknown): unknown;
}

/** Each gauge with what it shows of the fleet's health. */
const GAUGES: Readonly<
  Record<string, { readonly description: string; readonly unit: string; of(health: FleetHealth): number }>
> = {
  'opendelivery.fleet.unacknowledged': {
    description: 'Events that were received and are not acknowledged.',
    unit: '{message}',
    of: ({ unacknowledged }) => unacknowledged,
  },
  'opendelivery.fleet.failing_polls': {
    description: 'Stores whose last two polls failed, or more.',
    unit: '{store}',
    of: ({ failingPolls }) => failingPolls,
  },
  'opendelivery.fleet.failing_listeners': {
    description: 'Stores whose listeners have failed for events that are not handled.',
    unit: '{store}',
    of: ({ failingListeners }) => failingListeners.length,
  },
  'opendelivery.fleet.oldest_poll': {
    description: 'The longest time since the last good poll of a store that should be polled.',
    unit: 's',
    of: ({ oldestPollMs }) => oldestPollMs / 1000,
  },
  'opendelivery.fleet.newest_poll': {
    description: 'The shortest time since the last good poll of a store.',
    unit: 's',
    of: ({ newestPollMs }) => newestPollMs / 1000,
  },
  'opendelivery.fleet.oldest_open': {
    description: 'Since the oldest unacknowledged event was received.',
    unit: 's',
    of: ({ oldestOpenMs }) => oldestOpenMs / 1000,
  },
};

/** Shows the health of a fleet. @returns a function that ends it. */
export function measureFleet(meter: Meter, fleet: ObservedFleet): () => void {
  const backoff = histogramOf(meter, 'opendelivery.backoff.delay', 'Waits after polls that failed.');
  const onBackoff = ({ delayMs }: { readonly delayMs: number }) => backoff.record(delayMs / 1000);
  const stores = meter.createObservableGauge('opendelivery.fleet.stores', {
    description: 'Stores by status.',
    unit: '{store}',
  });
  const gauges = Object.entries(GAUGES).map(
    ([name, { description, unit, of }]): [ObservableGauge, (health: FleetHealth) => number] => [
      meter.createObservableGauge(name, { description, unit }),
      of,
    ],
  );
  const observe: BatchObservableCallback = (result) => {
    const health = fleet.health();
    const { polling, backingOff, standby, refused } = health;
    for (const [status, count] of Object.entries({ polling, backingOff, standby, refused }))
      result.observe(stores, count, { status });
    for (const [gauge, of] of gauges) result.observe(gauge, of(health));
  };
  const observed = [stores, ...gauges.map(([gauge]) => gauge)];
  meter.addBatchObservableCallback(observe, observed);
  fleet.on('backoff', onBackoff);
  return () => {
    fleet.off('backoff', onBackoff);
    meter.removeBatchObservableCallback(observe, observed);
  };
}
