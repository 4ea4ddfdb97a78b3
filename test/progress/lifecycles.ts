import * as fc from 'fast-check';
import { EVENT_TYPES, type OrderProgress, orderProgress, type ProgressEvent } from 'opendelivery-client';

export const STAGES = [
  'CREATED',
  'CONFIRMED',
  'PREPARING',
  'READY_FOR_PICKUP',
  'DISPATCHED',
  'PICKED_UP',
  'DELIVERED',
  'CONCLUDED',
  'CANCELLED',
] as const;

/** An order's life as the hub lives it: its event types, and what they come to. */
interface Life {
  readonly types: readonly string[];
  readonly stage: string;
  readonly cancellation: string;
}

const STEPS = ['on', 'ask store', 'ask hub', 'deny', 'inform', 'unknown', 'cancel'] as const;

/** A life in which a side asks again only after the answer to its last request. */
function live(steps: ReadonlyArray<{ readonly step: (typeof STEPS)[number]; readonly by: number }>): Life {
  const types: string[] = ['CREATED'];
  let stage = 0;
  let asked: 'store' | 'hub' | undefined;
  let wasDenied = false;
  for (const { step, by } of steps) {
    if (stage >= STAGES.indexOf('CONCLUDED')) break;
    if (step === 'on') {
      stage = Math.min(stage + by, STAGES.indexOf('CONCLUDED'));
      types.push(STAGES[stage] as string);
    } else if (step === 'cancel') {
      stage = STAGES.indexOf('CANCELLED');
      types.push('CANCELLED');
    } else if (step === 'inform') types.push('PICKUP_AREA_ASSIGNED');
    else if (step === 'unknown') types.push('DRONE_LAUNCHED');
    else if (step === 'deny' && asked) {
      types.push(asked === 'hub' ? 'CANCELLED_DENIED' : 'CANCELLATION_REQUEST_DENIED');
      asked = undefined;
      wasDenied = true;
    } else if (step !== 'deny' && !asked) {
      asked = step === 'ask hub' ? 'hub' : 'store';
      types.push(asked === 'hub' ? 'ORDER_CANCELLATION_REQUEST' : 'CANCELLATION_REQUESTED');
    }
  }
  const isOver = stage >= STAGES.indexOf('CONCLUDED');
  const cancellation = asked ? `asked_by_${asked}` : wasDenied ? 'denied' : 'none';
  return { types, stage: STAGES[stage] as string, cancellation: isOver ? 'none' : cancellation };
}

/** How a hub dates the events of an order. */
const DATES: ReadonlyArray<(index: number) => string | undefined> = [
  (index) => new Date(Date.UTC(2026, 0, 1, 12, index)).toISOString(),
  () => '2026-01-01T12:00:00Z', // the order's, on all of its events
  (index) => (index % 2 ? 'soon' : undefined),
  (index) => (index % 2 ? '0001-01-01T00:00:00' : new Date(Date.UTC(2026, 0, 1, 12, index)).toISOString()),
];

const eventOf = (eventType: string, index: number, createdAt: string | undefined): ProgressEvent => ({
  eventId: `event-${index}`,
  eventType,
  createdAt,
});

export const lifeArbitrary = fc
  .record({
    steps: fc.array(fc.record({ step: fc.constantFrom(...STEPS), by: fc.integer({ min: 1, max: 3 }) }), {
      maxLength: 14,
    }),
    date: fc.constantFrom(...DATES),
  })
  .map(({ steps, date }) => {
    const life = live(steps);
    return { ...life, events: life.types.map((type, index) => eventOf(type, index, date(index))) };
  });

/** Any events at all, as no hub should send them. */
export const eventsArbitrary = fc.array(
  fc.record({
    eventId: fc.constantFrom('a', 'b', 'c', ''),
    eventType: fc.oneof(
      fc.constantFrom(...EVENT_TYPES),
      fc.constantFrom('cancelled', 'CANCELLATION_DENIED', '__proto__', ''),
    ),
    createdAt: fc.constantFrom(
      undefined,
      'soon',
      '2026-01-01T12:00:00Z',
      '2026-01-01T09:00:00-0300',
      '2026-01-01 12:00:01',
    ),
  }),
  { maxLength: 12 },
);

/** The same events in another order, some of them more than once. */
export const repeated = <T>(events: readonly T[]) =>
  fc
    .array(fc.constantFrom(...events), { maxLength: events.length })
    .chain((again) =>
      fc.shuffledSubarray([...events, ...again], { minLength: events.length + again.length }),
    );

/** The progress after these events, stored as JSON and loaded again in between. */
export function progressOf(events: readonly ProgressEvent[]): OrderProgress | undefined {
  let progress: OrderProgress | undefined;
  for (const event of events) {
    progress = JSON.parse(JSON.stringify(orderProgress(progress, event))) as OrderProgress;
  }
  return progress;
}
