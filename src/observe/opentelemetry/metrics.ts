import type { Attributes, Histogram, Meter } from '@opentelemetry/api';
import { BoundedMap } from '../../events/bounded-map.js';
import { systemClock } from '../../time/clock.js';
import type { Traces } from '../channels.js';
import { errorOf, http, httpResult, messaging, server } from './attributes.js';
import { follow } from './follow.js';

/** Upper bounds of the histograms, in seconds. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** For how many events, at least, their receipt is remembered. */
const MAX_EVENTS = 10_000;

export const histogramOf = (meter: Meter, name: string, description: string): Histogram =>
  meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: SECONDS } });

/**
 * Measures every operation. No metric has the store as an attribute: ten
 * thousand stores would be ten thousand time series each.
 *
 * @returns a function that ends it.
 */
export function measureOperations(meter: Meter): () => void {
  const operations = histogramOf(
    meter,
    'messaging.client.operation.duration',
    'Polls and batches of acknowledgments.',
  );
  const processing = histogramOf(meter, 'messaging.process.duration', 'Calls of listeners.');
  const requests = histogramOf(meter, 'http.client.request.duration', 'HTTP requests.');
  const lateness = histogramOf(
    meter,
    'opendelivery.poll.lateness',
    'How much later than due polls were sent.',
  );
  const lag = histogramOf(
    meter,
    'opendelivery.acknowledgment.lag',
    'From the poll that first had an event to its acknowledgment.',
  );
  const events = meter.createCounter('messaging.client.consumed.messages', {
    description: 'Received events, repetitions included.',
    unit: '{message}',
  });
  const renewals = meter.createCounter('opendelivery.token.renewals', {
    description: 'Renewals of tokens.',
    unit: '{renewal}',
  });
  /** When each event was first received. */
  const receivedAt = new BoundedMap<string, number>(MAX_EVENTS);
  const now = () => systemClock.monotonic();

  const ends = [
    time(
      'opendelivery:poll',
      operations,
      (poll) => ({ ...messaging('poll'), ...server(poll) }),
      (poll) => {
        if (poll.lateMs !== undefined) lateness.record(poll.lateMs / 1000);
        const { eventIds = [] } = poll;
        events.add(eventIds.length, { ...messaging('poll'), ...server(poll), ...errorOf(poll) });
        for (const eventId of eventIds) {
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
      (batch) => ({ ...messaging('acknowledge'), ...server(batch) }),
      (batch) => {
        if ('error' in batch) return;
        for (const eventId of batch.eventIds) {
          const since = receivedAt.get(eventId);
          if (since !== undefined) lag.record((now() - since) / 1000);
          receivedAt.delete(eventId);
        }
      },
    ),
    time('opendelivery:request', requests, (request) => ({ ...http(request), ...httpResult(request) })),
    follow('opendelivery:token', {
      begin: () => undefined,
      end: (token) => renewals.add(1, errorOf(token)),
    }),
  ];

  /** Records how long the operations of a channel take. */
  function time<Name extends keyof Traces>(
    name: Name,
    histogram: Histogram,
    attributesOf: (operation: Traces[Name]) => Attributes,
    onEnd?: (operation: Traces[Name]) => void,
  ): () => void {
    return follow<Name, number>(name, {
      begin: now,
      end(operation, startedAt) {
        histogram.record((now() - startedAt) / 1000, { ...errorOf(operation), ...attributesOf(operation) });
        onEnd?.(operation);
      },
    });
  }

  return () => {
    for (const end of ends) end();
  };
}
