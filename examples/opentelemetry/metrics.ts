import { tracingChannel } from 'node:diagnostics_channel';
import type { Attributes, BatchObservableCallback, Histogram, Meter } from '@opentelemetry/api';
import { ENDPOINTS, type HubFleet, type Trace, type Traces } from 'opendelivery-client';
import { messaging } from './messaging.js';
import { RecentEvents } from './recent-events.js';

/** Upper bounds of the histograms, in seconds. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/**
 * Measures every operation, and the fleet. No metric has the store as an
 * attribute: ten thousand stores would be ten thousand time series each.
 *
 * @param now - milliseconds of a monotonic clock.
 * @returns a function that ends it.
 */
export function measure(meter: Meter, fleet: HubFleet, now = () => performance.now()): () => void {
  const seconds = (name: string, description: string) =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: SECONDS } });
  const operations = seconds('messaging.client.operation.duration', 'polls and batches of acknowledgments');
  const processing = seconds('messaging.process.duration', 'calls of listeners');
  const requests = seconds('http.client.request.duration', 'requests');
  const lateness = seconds('opendelivery.poll.lateness', 'how much later than due polls were sent');
  const lag = seconds(
    'opendelivery.acknowledgment.lag',
    'from the poll that first had the event to its acknowledgment',
  );
  const backoff = seconds('opendelivery.backoff.delay', 'waits after polls that failed');
  const events = meter.createCounter('messaging.client.consumed.messages', {
    description: 'received events, repetitions included',
    unit: '{message}',
  });
  const tokens = meter.createCounter('opendelivery.token.renewals', {
    description: 'renewals of tokens',
    unit: '{renewal}',
  });
  const stores = meter.createObservableGauge('opendelivery.fleet.stores', {
    description: 'stores by status',
  });
  const unacknowledged = meter.createObservableGauge('opendelivery.fleet.unacknowledged', {
    description: 'events that were received and are not acknowledged',
  });
  const oldest = meter.createObservableGauge('opendelivery.fleet.oldest_poll', {
    description: 'the longest time since the last good poll of a store that should be polled',
    unit: 's',
  });
  const newest = meter.createObservableGauge('opendelivery.fleet.newest_poll', {
    description: 'the shortest time since the last good poll of a store',
    unit: 's',
  });
  const oldestOpen = meter.createObservableGauge('opendelivery.fleet.oldest_open', {
    description: 'since the oldest unacknowledged event was received',
    unit: 's',
  });
  const failing = meter.createObservableGauge('opendelivery.fleet.failing', {
    description: 'stores whose listeners have failed for events that are not handled',
  });
  /** When each event was first received. */
  const receivedAt = new RecentEvents<number>();

  const ends = [
    time(
      'opendelivery:poll',
      operations,
      () => messaging('poll'),
      (poll) => {
        if (poll.lateMs !== undefined) lateness.record(poll.lateMs / 1000);
        events.add(poll.eventIds?.length ?? 0, messaging('poll'));
        for (const eventId of poll.eventIds ?? []) {
          if (receivedAt.get(eventId) === undefined) receivedAt.set(eventId, now());
        }
      },
    ),
    time('opendelivery:listener', processing, ({ eventType }) => ({
      ...messaging('process'),
      'opendelivery.event.type': eventType,
    })),
    time(
      'opendelivery:acknowledge',
      operations,
      () => messaging('acknowledge'),
      (batch) => {
        if ('error' in batch) return;
        for (const eventId of batch.eventIds) {
          const since = receivedAt.get(eventId);
          if (since !== undefined) lag.record((now() - since) / 1000);
          receivedAt.delete(eventId);
        }
      },
    ),
    time('opendelivery:request', requests, ({ endpoint, method, status }) => ({
      'http.request.method': method,
      ...(status !== undefined && { 'http.response.status_code': status }),
      'url.template': ENDPOINTS[endpoint].path,
    })),
    subscribe('opendelivery:token', 'asyncEnd', (token) => tokens.add(1, errorOf(token))),
  ];
  const onBackoff = ({ delayMs }: { readonly delayMs: number }) => backoff.record(delayMs / 1000);
  fleet.on('backoff', onBackoff);
  const observe: BatchObservableCallback = (result) => {
    const { polling, backingOff, standby, refused, ...health } = fleet.health();
    for (const [status, count] of Object.entries({ polling, backingOff, standby, refused }))
      result.observe(stores, count, { status });
    result.observe(unacknowledged, health.unacknowledged);
    result.observe(oldest, health.oldestPollMs / 1000);
    result.observe(newest, health.newestPollMs / 1000);
    result.observe(oldestOpen, health.oldestOpenMs / 1000);
    result.observe(failing, health.failingListeners.length);
  };
  const observed = [stores, unacknowledged, oldest, newest, oldestOpen, failing];
  meter.addBatchObservableCallback(observe, observed);

  /** Records how long the operations of a channel take. */
  function time<Name extends keyof Traces>(
    name: Name,
    histogram: Histogram,
    attributesOf: (context: Traces[Name]) => Attributes,
    onEnd?: (context: Traces[Name]) => void,
  ): () => void {
    const startedAt = new WeakMap<object, number>();
    const endStart = subscribe(name, 'start', (context) => startedAt.set(context, now()));
    const endEnd = subscribe(name, 'asyncEnd', (context) => {
      const started = startedAt.get(context);
      if (started === undefined) return;
      histogram.record((now() - started) / 1000, { ...attributesOf(context), ...errorOf(context) });
      onEnd?.(context);
    });
    return () => {
      endStart();
      endEnd();
    };
  }

  return () => {
    for (const end of ends) end();
    fleet.off('backoff', onBackoff);
    meter.removeBatchObservableCallback(observe, observed);
  };
}

function subscribe<Name extends keyof Traces>(
  name: Name,
  message: 'start' | 'asyncEnd',
  listener: (context: Traces[Name]) => void,
): () => void {
  const channel = tracingChannel(name)[message];
  const subscriber = (context: unknown) => listener(context as Traces[Name]);
  channel.subscribe(subscriber);
  return () => channel.unsubscribe(subscriber);
}

function errorOf(context: Trace): Attributes {
  if (!('error' in context)) return {};
  return { 'error.type': context.error instanceof Error ? context.error.name : '_OTHER' };
}
