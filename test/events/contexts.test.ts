import { inspect } from 'node:util';
import { HubClient, type LifecycleEvents } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { fleetStage, stores } from '../fleet/support.js';
import { LIFECYCLE_EVENTS, stage } from '../support.js';
import { pushOf } from './push/support.js';

interface Door {
  on(name: string, listener: (...given: unknown[]) => unknown): unknown;
}

/** What the listeners and observers of a door were called with, by name: each way to look at it has the same fields. */
function seenAt(door: Door) {
  const seen = new Map<string, unknown[]>();
  const note = (name: string) => (subject: unknown, context: unknown) => {
    // `event` also comes for the event that fails.
    if (!seen.has(name) || name === 'error') seen.set(name, [subject, context]);
  };
  for (const name of [...LIFECYCLE_EVENTS, 'event', 'deadLetter']) door.on(name, note(name));
  door.on('CONFIRMED', () => {
    throw new Error('no paper');
  });
  return seen;
}

/** The names that `util.inspect` shows at the first level. */
const inspected = (value: object) =>
  [...inspect(value, { depth: 0, breakLength: 1, compact: false }).matchAll(/^ {2}'?(\w+)'?:/gm)].map(
    ([, name]) => name,
  );

/** Expects exactly these fields, however one looks at it. `undefined` fields are not in JSON. */
function expectFields(value: unknown, fields: readonly string[], inJson = fields): void {
  const object = value as object;
  expect(Object.keys({ ...object }).sort()).toEqual([...fields].sort());
  expect(Object.keys(JSON.parse(JSON.stringify(object))).sort()).toEqual([...inJson].sort());
  expect(inspected(object).sort()).toEqual([...fields].sort());
  expect(inspect(object, { depth: null, showHidden: true })).not.toMatch(
    /EventEmitter|HubClient|AbortSignal|mock-client-secret|of-a-partner|#run/,
  );
  const named: string[] = [];
  for (const name in object) named.push(name);
  expect(named.sort()).toEqual([...fields].sort());
}

/** The fields of each payload; does not compile if a lifecycle event is missing. */
const PAYLOADS = {
  started: ['at'],
  standby: ['retryAfterMs'],
  polled: ['received', 'issues', 'durationMs'],
  acknowledged: ['eventIds'],
  acknowledgeFailed: ['eventIds', 'error'],
  listenerFailed: ['event', 'error', 'attempt'],
  unhandled: ['event', 'acknowledged'],
  invalid: ['issues'],
  pushed: ['status', 'eventIds'],
  commandRefused: ['orderId', 'command', 'error'],
  backoff: ['error', 'delayMs', 'failures'],
  recovered: ['failures'],
  error: [],
  stopped: ['handled', 'acknowledged', 'unacknowledged', 'timedOut'],
} as const satisfies { [Name in keyof LifecycleEvents]: readonly unknown[] };

/** What happens to a poller and to a fleet in these tests. */
const OBSERVED = ['started', 'polled', 'listenerFailed', 'backoff', 'recovered', 'stopped'] as const;

/** Expects the fields of the payload, and this second argument of the observer. */
function expectPayload(
  seen: ReadonlyMap<string, unknown[]>,
  name: keyof LifecycleEvents,
  context: object | undefined,
): void {
  const [payload, second] = seen.get(name) ?? [];
  expectFields(payload, PAYLOADS[name]);
  expect([name, second]).toEqual([name, context]);
  if (context) expectFields(second, Object.keys(context));
}

const EVENT_CONTEXT = ['attempt', 'redelivered', 'fence'];

describe('what a poller passes to listeners and observers', () => {
  it('shows the fields of its type, and nothing more', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller({ maxAttempts: 1 });
    const seen = seenAt(poller as unknown as Door);
    mock.faults.next('polling', 503);
    mock.faults.next('acknowledgment', 500, 9);
    mock.createOrder();
    mock.emit('CONFIRMED', { orderId: 'fails' });
    mock.emit('DISPATCHED');
    const started = poller.start();
    await clock.advance('90s');
    await started;
    await poller.receive(pushOf(mock.emit('PICKED_UP' as string)));
    await clock.advance('31s');
    await poller.stop();

    const [event, context] = seen.get('event') as [object, { hub: unknown; signal: unknown }];
    expect(Object.isFrozen(event)).toBe(true);
    expectFields(context, EVENT_CONTEXT);
    // They are there, for who takes them by name.
    expect([context.hub, context.signal instanceof AbortSignal]).toEqual([hub, true]);
    expect(['storeId', 'merchantId', 'commit'].filter((name) => name in context)).toEqual([]);
    expectFields(seen.get('deadLetter')?.[0], ['event', 'attempts', 'error']);
    expectFields(seen.get('deadLetter')?.[1], EVENT_CONTEXT);
    for (const name of [...OBSERVED, 'pushed'] as const) expectPayload(seen, name, undefined);
    expectFields(seen.get('acknowledgeFailed')?.[0], PAYLOADS.acknowledgeFailed);
  });

  it('about an error: the event, the order and the attempt, or nothing', async () => {
    const { clock, mock, hub } = stage();
    const about: unknown[] = [];
    const poller = hub.poller().on('error', (_error, context) => void about.push({ ...context }));
    poller.on('CREATED', () => Promise.reject(new Error('no paper')));
    mock.faults.next('polling', 503);
    const { event, orderId } = mock.createOrder();
    void poller.start();
    await clock.advance('31s');
    expect(about).toEqual([{}, { eventId: event.eventId, orderId, attempt: 1 }]);
  });

  it('has the merchantId of the poll, if there is one', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller({ merchants: ['shop-1'] });
    const contexts: object[] = [];
    poller.on('CREATED', (_event, context) => void contexts.push(context));
    mock.emit('CREATED', { merchantId: 'shop-1' });
    await poller.start();
    await clock.advance('1s');
    expectFields(contexts[0], [...EVENT_CONTEXT, 'merchantId']);
  });
});

describe('what a fleet passes to listeners and observers', () => {
  it('shows the fields of its type, and the store', async () => {
    const all = stores(1);
    const { clock, mock, fleet } = fleetStage(all, {
      headers: { 'x-partner-key': 'of-a-partner' },
      poller: { maxAttempts: 1 },
    });
    const seen = seenAt(fleet as unknown as Door);
    const { clientId } = all[0] as { clientId: string };
    mock.faults.next('polling', 503);
    mock.createOrder({ clientId });
    mock.emit('CONFIRMED', { clientId, orderId: 'fails' });
    void fleet.start();
    await clock.advance('95s');
    const stopped = fleet.stop();
    await clock.advance('1s');
    await stopped;
    const [, context] = seen.get('event') as [object, { hub: unknown; signal: unknown }];
    expectFields(context, [...EVENT_CONTEXT, 'storeId']);
    expect([context.hub instanceof HubClient, context.signal instanceof AbortSignal]).toEqual([true, true]);
    expectFields(seen.get('deadLetter')?.[1], [...EVENT_CONTEXT, 'storeId']);
    for (const name of [...OBSERVED, 'acknowledged'] as const)
      expectPayload(seen, name, { storeId: 'store-0' });
    expectFields(seen.get('error')?.[1], ['storeId', 'eventId', 'orderId', 'attempt']);
  });
});
