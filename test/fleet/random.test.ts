import fc from 'fast-check';
import { memoryState, type State } from 'opendelivery-client';
import { expect, it } from 'vitest';
import { runs } from '../runs.js';
import { fleetStage, stores } from './support.js';

const at = <Item>(items: readonly Item[], index: number): Item => items[index] as Item;

const COUNT = 4;

type Op =
  | { op: 'start' | 'stop' | 'stopNow' | 'abort' }
  | { op: 'list' | 'add' | 'remove' | 'runOnce' | 'hub' | 'close' | 'order'; store: number }
  | { op: 'mode'; store: number; mode: Mode }
  | { op: 'fault'; endpoint: 'polling' | 'acknowledgment' | 'token'; fault: '429' | '503' | '401' }
  | { op: 'state'; state: 'ok' | 'reject' | 'hang' | 'slow' }
  | { op: 'advance'; ms: number };
type Mode = 'sync' | 'async' | 'fail' | 'long' | 'hub';

const store = fc.nat(COUNT - 1);
const plain = fc.constantFrom<Op>({ op: 'start' }, { op: 'stop' }, { op: 'stopNow' }, { op: 'abort' });
const ofStore = fc.record({
  op: fc.constantFrom('list', 'add', 'remove', 'runOnce', 'hub', 'close', 'order', 'order', 'order'),
  store,
}) as fc.Arbitrary<Op>;
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 2, arbitrary: plain },
  { weight: 5, arbitrary: ofStore },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('mode'),
      store,
      mode: fc.constantFrom('sync', 'async', 'fail', 'long', 'hub'),
    }) as fc.Arbitrary<Op>,
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('fault'),
      endpoint: fc.constantFrom('polling', 'acknowledgment', 'token'),
      fault: fc.constantFrom('429', '503', '401'),
    }) as fc.Arbitrary<Op>,
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('state'),
      state: fc.constantFrom('ok', 'reject', 'hang', 'slow'),
    }) as fc.Arbitrary<Op>,
  },
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('advance'),
      ms: fc.constantFrom(1, 500, 5000, 20_000, 61_000),
    }) as fc.Arbitrary<Op>,
  },
);

const unhandled: unknown[] = [];

async function play(ops: Op[], isAsync: boolean): Promise<string[]> {
  const faults: string[] = [];
  const all = stores(COUNT);
  const listed = new Set([0, 1]);
  const added = new Set<number>();
  /** Taken out with `remove`: they stay out, also if they are listed. */
  const removed = new Set<number>();
  const modes: Mode[] = all.map(() => 'sync');
  let stateMode = 'ok';
  const inner = memoryState();
  const clockOf: { sleep?: (ms: number) => Promise<void> } = {};
  const state = new Proxy(inner, {
    get: (target, name) => {
      const value = target[name as keyof State] as (...args: unknown[]) => unknown;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (stateMode === 'reject') return Promise.reject(new Error('state down'));
        if (stateMode === 'hang') return new Promise(() => {});
        if (stateMode === 'slow') return clockOf.sleep?.(1500).then(() => value.apply(target, args));
        return isAsync ? Promise.resolve().then(() => value.apply(target, args)) : value.apply(target, args);
      };
    },
  }) as State;
  const { clock, mock, fleet, pollsOf } = fleetStage(
    all,
    {
      state,
      stores: () => all.filter((_, index) => listed.has(index)),
      storesRefreshMs: 20_000,
      requestsInFlight: 3,
      poller: { listenerTimeoutMs: 5000 },
    },
    { latencyMs: 50 },
  );
  // Parked: an exchange that waits for the slow state holds the clock, which would wait for it in turn.
  clockOf.sleep = (ms) => clock.sleep(ms).finally(clock.park());
  const running = new Map<string, number>();
  const resolved = new Set<string>();
  const orders: { clientId: string; eventId: string }[] = [];
  fleet.on('event', (event, { storeId, hub: _hub, ...rest }) => {
    void rest;
    const index = all.findIndex((each) => each.storeId === storeId);
    const mode = modes[index];
    const key = event.eventId;
    const count = (running.get(key) ?? 0) + 1;
    if (count > 1) faults.push(`${count} runs at once of an event of ${storeId}`);
    if (mode === 'sync') {
      resolved.add(key);
      return;
    }
    if (mode === 'fail') throw new Error('fails');
    running.set(key, count);
    return (async () => {
      if (mode === 'hub') await _hub.orders.get(event.orderId).catch(() => {});
      else await clockOf.sleep?.(mode === 'long' ? 45_000 : 2000);
      running.set(key, (running.get(key) ?? 1) - 1);
      resolved.add(key);
    })();
  });
  fleet.on('error', () => {});
  const pending = new Map<Promise<unknown>, string>();
  const expected =
    /is not a store|already in this fleet|is running and polls|already running|the stores were not|is also that of|enough|fleet is stopped/;
  const track = (name: string, promise: Promise<unknown>) => {
    pending.set(promise, name);
    promise.then(
      () => pending.delete(promise),
      (error) => {
        pending.delete(promise);
        if (name.startsWith('runOnce') || name.startsWith('start')) return;
        if (!expected.test(String(error?.message ?? error))) faults.push(`${name} rejects: ${error}`);
      },
    );
  };
  let controller = new AbortController();
  const apply = async (each: Op) => {
    if (each.op === 'start') {
      controller = new AbortController();
      track('start', fleet.start({ signal: controller.signal }));
    } else if (each.op === 'stop') track('stop', fleet.stop());
    else if (each.op === 'stopNow') track('stopNow', fleet.stop({ timeoutMs: 100 }));
    else if (each.op === 'abort') controller.abort(new Error('enough'));
    else if (each.op === 'list') {
      if (!listed.delete(each.store)) listed.add(each.store);
    } else if (each.op === 'add')
      track(
        'add',
        fleet.add(at(all, each.store)).then(() => {
          added.add(each.store);
          removed.delete(each.store);
        }),
      );
    else if (each.op === 'remove')
      track(
        'remove',
        fleet.remove(at(all, each.store).storeId).then(() => {
          added.delete(each.store);
          removed.add(each.store);
        }),
      );
    else if (each.op === 'runOnce') track('runOnce', fleet.runOnce(at(all, each.store).storeId));
    else if (each.op === 'hub') {
      try {
        fleet.hub(at(all, each.store).storeId);
      } catch {}
    } else if (each.op === 'close') {
      try {
        track('close', fleet.hub(at(all, each.store).storeId).close());
      } catch {}
    } else if (each.op === 'order') {
      const { event } = mock.createOrder({ clientId: at(all, each.store).clientId });
      orders.push({ clientId: at(all, each.store).clientId, eventId: event.eventId });
    } else if (each.op === 'mode') modes[each.store] = each.mode;
    else if (each.op === 'fault')
      mock.faults.next(each.endpoint, {
        type: 'status',
        status: Number(each.fault),
        headers: each.fault === '429' ? { 'retry-after': '5' } : {},
      });
    else if (each.op === 'state') stateMode = each.state;
    else if (each.op === 'advance') await clock.advance(each.ms);
  };
  for (const each of ops) {
    await apply(each);
    const health = fleet.health();
    for (const [name, value] of Object.entries(health))
      if (value < 0) faults.push(`health.${name} is ${value}`);
    for (const each of all) {
      try {
        const h = fleet.health(each.storeId);
        if (h.handled < 0 || h.acknowledged < 0) faults.push('negative count');
      } catch {}
    }
  }
  // Everything is well again.
  stateMode = 'ok';
  modes.fill('sync');
  mock.faults.clear();
  await clock.advance('2m');
  track('stop at end', fleet.stop({ timeoutMs: 1000 }));
  await clock.advance('40s');
  for (const name of pending.values()) faults.push(`${name} is still pending`);
  track('last start', fleet.start());
  await clock.advance('12m');
  if ([...pending.values()].includes('last start')) faults.push('the last start is still pending');
  const now = clock.monotonic();
  const present = new Set([...listed, ...added].filter((index) => !removed.has(index)));
  for (const index of present) {
    const times = pollsOf(at(all, index)).filter((t) => now - t < 61_000);
    if (times.length === 0) faults.push(`store-${index} is forgotten`);
  }
  for (const { clientId, eventId } of orders) {
    const index = all.findIndex((each) => each.clientId === clientId);
    const isPending = mock.pending(clientId).some((each) => each.eventId === eventId);
    if (!isPending && !resolved.has(eventId))
      faults.push(`an event of store-${index} was acknowledged unhandled`);
    if (isPending && present.has(index))
      faults.push(
        `an event of store-${index} is not acknowledged ${JSON.stringify(fleet.health(`store-${index}`))}`,
      );
  }
  const health = fleet.health();
  if (
    health.stores !== present.size ||
    health.polling !== present.size ||
    health.running > 0 ||
    health.unacknowledged > 0 ||
    health.oldestPollMs > 31_000
  )
    faults.push(`health ${JSON.stringify(health)} of ${present.size}`);
  track('last stop', fleet.stop());
  await clock.advance('1s');
  for (const name of pending.values()) faults.push(`${name} is pending at the end`);
  if (clock.sleepers > 0) faults.push(`${clock.sleepers} sleepers after stop`);
  const before = mock.requests.length;
  await clock.advance('2m');
  if (mock.requests.length > before) faults.push('requests after stop');
  for (const violation of mock.violations()) faults.push(`violation ${JSON.stringify(violation)}`);
  await new Promise((resolve) => setImmediate(resolve));
  for (const error of unhandled.splice(0)) faults.push(`unhandled ${error}`);
  return faults;
}

it('a fleet keeps its promises in random sequences of calls, faults and listeners', async () => {
  const listener = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', listener);
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(op, { maxLength: 25, size: 'max' }), fc.boolean(), async (ops, isAsync) => {
        expect(await play(ops, isAsync)).toEqual([]);
      }),
      { numRuns: runs(20) },
    );
  } finally {
    process.off('unhandledRejection', listener);
  }
});
