import fc from 'fast-check';
import { type EventPoller, type HubClient, memoryState, type State } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { runs } from '../../runs.js';
import { afterAdvance, clientOf, gate, stage } from '../../support.js';
import { fails, processes, runOnceElsewhere, withCalls } from '../support.js';
import { pushOf, statusOf } from './support.js';

/** A poller that nobody starts, and the ids that its listener has handled. */
function idle(state: State = memoryState(), listener: () => unknown = () => {}, clock = new ManualClock()) {
  const all = stage({ clock }, { clock, state });
  const handled: string[] = [];
  const poller = all.hub.poller().on('event', async ({ eventId }) => {
    await listener();
    handled.push(eventId);
  });
  const push = (event: unknown = all.mock.createOrder().event) => statusOf(poller.receive(pushOf(event)));
  const elsewhere = () => runOnceElsewhere({ ...all, clock, state });
  return { ...all, clock, state, poller, handled, push, elsewhere };
}

/** Calls of the state for the lease: `lease` acquires or renews it, `release` ends it. */
function leaseCalls(calls: string[]): State {
  const note = (name: string) => (next: () => unknown) => {
    calls.push(name);
    return next();
  };
  return withCalls(memoryState(), { lease: note('lease'), release: note('release') });
}

/** The same with a state whose replies about the lease take a second each, and how many of these are awaited. */
function slowIdle(listener?: () => unknown) {
  const clock = new ManualClock();
  const fast = memoryState();
  const link = { inFlight: 0 };
  const later = async (next: () => unknown) => {
    link.inFlight += 1;
    const reply = next();
    await clock.sleep(1000).finally(clock.park());
    link.inFlight -= 1;
    return reply;
  };
  const all = idle(withCalls(fast, { lease: later, release: later }), listener, clock);
  return { ...all, link, elsewhere: () => runOnceElsewhere({ ...all, state: fast }) };
}

describe('a poller that is not started', () => {
  it('acquires the lease for a push, handles it, and releases the lease before it answers', async () => {
    const calls: string[] = [];
    const { clock, mock, poller, handled, push, elsewhere } = idle(leaseCalls(calls));
    const { event } = mock.createOrder();
    expect(await push(event)).toBe(200);
    expect(calls).toEqual(['lease', 'release']);
    expect(handled).toEqual([event.eventId]);
    expect(clock.sleepers).toBe(0);
    expect(poller.health()).toMatchObject({ status: 'idle', handled: 1, running: 0, unacknowledged: 0 });
    // It is marked as handled: a poll elsewhere acknowledges it and does not handle it again.
    expect(await elsewhere()).toMatchObject({ received: 1, handled: 0, acknowledged: 1 });
    expect(mock.requests.filter(({ endpoint }) => endpoint === 'polling')).toHaveLength(1);
  });

  it('shares one lease among the pushes of the same moment', async () => {
    const calls: string[] = [];
    const ended = gate();
    const { clock, mock, handled, push } = idle(leaseCalls(calls), () => ended.promise);
    const events = Array.from({ length: 20 }, () => mock.createOrder().event);
    const statuses = events.map((event) => push(event));
    await clock.advance('1s');
    ended.open();
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
    expect(handled).toHaveLength(20);
    expect(calls.filter((name) => name === 'release')).toHaveLength(1);
    expect(clock.sleepers).toBe(0);
  });

  it('waits with the next push until the lease of the last one is released', async () => {
    const { clock, handled, push } = slowIdle();
    const first = push();
    await clock.advance('1500ms'); // its lease is being released
    const second = push();
    await clock.advance('10s');
    expect([await first, await second]).toEqual([200, 200]);
    expect(handled).toHaveLength(2);
    expect(clock.sleepers).toBe(0);
  });

  it('renews the lease while a listener runs, and nobody else polls or handles a push meanwhile', async () => {
    const ended = gate();
    const state = memoryState();
    const { clock, mock, poller, push, elsewhere } = idle(state, () => ended.promise);
    const { hub } = clientOf(mock, { clock, state });
    const other = hub.poller().on('event', () => {});
    const { event } = mock.createOrder();
    const status = push(event);
    for (let second = 0; second < 55; second += 5) {
      await clock.advance('5s');
      expect(await elsewhere()).toMatchObject({ skipped: 'leased' });
      expect(await statusOf(other.receive(pushOf(event)))).toBe(503);
    }
    expect(poller.health()).toMatchObject({ status: 'running', running: 1 });
    ended.open();
    expect(await status).toBe(200);
    expect(await statusOf(other.receive(pushOf(event)))).toBe(200);
    expect(clock.sleepers).toBe(0);
  });

  it('answers 503 while the poller of another process has the lease', async () => {
    const { clock, mock, hubs } = processes(2);
    const noted: string[] = [];
    const [first, second] = hubs.map((hub, index) =>
      hub.poller().on('event', ({ eventId }) => void noted.push(`${index} ${eventId}`)),
    ) as [EventPoller, EventPoller];
    await first.start();
    const { event } = mock.createOrder();
    const response = await second.receive(pushOf(event));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30']);
    await afterAdvance(clock, '1s', first.stop());
    expect(await statusOf(second.receive(pushOf(event)))).toBe(200);
    expect(noted).toEqual([`1 ${event.eventId}`]);
  });

  it('answers 503 while another poller of its client runs, and as long as it is stopped itself', async () => {
    const { clock, hub, mock, poller, push } = idle();
    const { event } = mock.createOrder();
    const other = hub.poller().on('event', () => {});
    await other.start();
    expect(await push(event)).toBe(503);
    expect(await statusOf(other.receive(pushOf(event)))).toBe(200);
    await other.stop();
    expect(await push(event)).toBe(200);
    await poller.stop();
    expect(await push(event)).toBe(503);
    await afterAdvance(clock, '1m', poller.start());
    expect(await push(event)).toBe(200);
  });

  it('answers 503 with an error if it has no listener, or the state fails', async () => {
    const { hub, mock } = stage();
    const errors: unknown[] = [];
    const { event } = mock.createOrder();
    const deaf = hub.poller().on('error', (error) => void errors.push(error));
    expect(await statusOf(deaf.receive(pushOf(event)))).toBe(503);
    const { poller, push, handled } = idle(withCalls(memoryState(), { lease: () => fails() }));
    poller.on('error', (error) => void errors.push(error));
    expect(await push()).toBe(503);
    expect(errors).toMatchObject([{ code: 'configuration' }, { code: 'state' }]);
    expect(handled).toEqual([]);
  });

  it('acknowledges before its response what a poll has brought and only the push has handled', async () => {
    let isAway = true;
    const { clock, mock, poller, push } = idle(memoryState(), () => {
      if (isAway) throw new Error('the database is away');
    });
    const { event } = mock.createOrder();
    expect(await poller.runOnce()).toMatchObject({ failures: [{ eventId: event.eventId }] });
    isAway = false;
    expect(await push(event)).toBe(200);
    expect(mock.acknowledged()).toMatchObject([{ eventId: event.eventId }]);
    expect(clock.sleepers).toBe(0);
  });

  it('tries a failed event again with the next push, and releases the lease each time', async () => {
    const calls: string[] = [];
    let isAway = true;
    const { mock, handled, poller, push } = idle(leaseCalls(calls), () => {
      if (isAway) throw new Error('the database is away');
    });
    poller.on('error', () => {});
    const { event } = mock.createOrder();
    expect(await push(event)).toBe(503);
    isAway = false;
    expect(await push(event)).toBe(200);
    expect(handled).toEqual([event.eventId]);
    expect(calls).toEqual(['lease', 'release', 'lease', 'release']);
  });
});

describe('while a poller that is not started handles a push', () => {
  /** A push whose listener runs until `open`. */
  function busy(listener = gate()) {
    const all = idle(memoryState(), () => listener.promise);
    return { ...all, ...listener };
  }

  it('start goes on with its lease, and the push is answered', async () => {
    const { clock, mock, poller, handled, push, open, elsewhere } = busy();
    const status = push();
    await clock.advance('1s');
    await afterAdvance(clock, '5s', poller.start());
    open();
    await clock.advance('1s');
    expect(await status).toBe(200);
    expect(poller.health()).toMatchObject({ status: 'running' });
    expect(await elsewhere()).toMatchObject({ skipped: 'leased' });
    await clock.advance('31s');
    expect(handled).toHaveLength(1);
    expect(mock.pending()).toEqual([]);
    await poller.stop();
    expect(clock.sleepers).toBe(0);
  });

  it('runOnce polls beside it, and the lease is released after both', async () => {
    const { clock, mock, poller, handled, push, open, elsewhere } = busy();
    const status = push();
    await clock.advance('1s');
    const polled = mock.createOrder();
    const cycle = poller.runOnce();
    await clock.advance('1s');
    open();
    expect(await cycle).toMatchObject({ handled: 2 });
    expect(await status).toBe(200);
    expect(handled).toContain(polled.event.eventId);
    expect(await elsewhere()).toMatchObject({ received: 0 });
    expect(clock.sleepers).toBe(0);
  });

  it('stop waits for it, releases the lease, and refuses later pushes', async () => {
    const { clock, poller, handled, push, open, elsewhere } = busy();
    const status = push();
    await clock.advance('1s');
    const stopped = poller.stop();
    expect(await push()).toBe(503);
    open();
    expect(await stopped).toMatchObject({ handled: 1, timedOut: false });
    expect(await status).toBe(200);
    expect(handled).toHaveLength(1);
    expect(await elsewhere()).not.toHaveProperty('skipped');
    expect(clock.sleepers).toBe(0);
  });

  it('stop inside its listener does not wait for it, and the lease ends with it', async () => {
    const held = gate();
    const state = memoryState();
    const { clock, hub, mock } = stage({}, { state });
    const poller = hub.poller().on('CREATED', async () => {
      await poller.stop();
      await held.promise;
    });
    const status = statusOf(poller.receive(pushOf(mock.createOrder().event)));
    await clock.advance('1s');
    expect(await runOnceElsewhere({ mock, clock, state })).toMatchObject({ skipped: 'leased' });
    held.open();
    expect(await status).toBe(200);
    expect(await runOnceElsewhere({ mock, clock, state })).not.toHaveProperty('skipped');
  });

  it('close waits for its time, then the push gets 503 and the lease is free', async () => {
    const { clock, hub, handled, poller, push, open, elsewhere } = busy();
    const status = push();
    await clock.advance('1s');
    expect(await afterAdvance(clock, '5s', hub.close({ timeoutMs: 5000 }))).toMatchObject([
      { timedOut: true, handled: 0 },
    ]);
    expect(await status).toBe(503);
    expect(await elsewhere()).not.toHaveProperty('skipped');
    expect(await push()).toBe(503);
    open();
    await clock.advance('1s');
    expect(handled).toHaveLength(1); // its listener has ended, and nobody has waited for it
    expect(await statusOf(poller.receive(pushOf({})))).toBe(503);
    expect(clock.sleepers).toBe(0);
  });

  it.each<[string, boolean, (poller: EventPoller, hub: HubClient) => Promise<unknown>]>([
    ['stop', true, (poller) => poller.stop()],
    ['close of the client', true, (_poller, hub) => hub.close()],
    ['close without time', false, (_poller, hub) => hub.close({ timeoutMs: 0 })],
  ])('%s keeps it from a listener while the lease is being acquired', async (_what, isPatient, end) => {
    const { clock, link, hub, poller, handled, push, elsewhere } = slowIdle();
    const status = push();
    await clock.advance(500);
    const ended = end(poller, hub).then(async () => {
      if (!isPatient) return;
      expect(link.inFlight).toBe(0);
      expect(await elsewhere()).not.toHaveProperty('skipped');
    });
    await clock.advance('10s');
    await ended;
    expect(await status).toBe(503);
    expect(handled).toEqual([]);
    expect(link.inFlight).toBe(0);
    expect(await elsewhere()).not.toHaveProperty('skipped');
    expect(clock.sleepers).toBe(0);
  });

  it('stop keeps it from a listener while its marks are being read', async () => {
    const clock = new ManualClock();
    const reading = gate();
    const state = withCalls(memoryState(), { recall: (next) => reading.promise.then(next) });
    const { poller, handled, push } = idle(state, () => {}, clock);
    const status = push();
    await clock.advance(500);
    const stopped = poller.stop();
    reading.open();
    await clock.advance('1s');
    expect(await stopped).toMatchObject({ timedOut: false });
    expect([await status, handled]).toEqual([503, []]);
  });

  it('runOnce waits for the release of its lease', async () => {
    const statuses: string[] = [];
    const { clock, mock, poller, push } = slowIdle(() => void statuses.push(poller.health().status));
    const status = push();
    await clock.advance('1500ms');
    mock.createOrder();
    const cycle = poller.runOnce();
    await clock.advance('10s');
    expect([await status, await cycle]).toMatchObject([200, { received: 2, handled: 1 }]);
    expect(statuses).toEqual(['running', 'running']);
    expect(clock.sleepers).toBe(0);
  });

  it('stop waits until its lease is released', async () => {
    const { clock, link, poller, push } = slowIdle();
    const status = push();
    await clock.advance('1500ms'); // its lease is being released
    expect(link.inFlight).toBe(1);
    const inFlight = poller.stop().then(() => link.inFlight);
    await clock.advance('5s');
    expect([await inFlight, await status]).toEqual([0, 200]);
  });

  it('start waits for the release of its lease, and stop ends that wait', async () => {
    const { clock, poller, push } = slowIdle();
    const status = push();
    await clock.advance('1500ms');
    const started = poller.start();
    const again = poller.start();
    again.catch(() => {});
    await clock.advance('5s');
    await started;
    await expect(again).rejects.toThrow('already running');
    expect([await status, poller.health().status]).toEqual([200, 'running']);
    await afterAdvance(clock, '5s', poller.stop());

    const other = slowIdle();
    const last = other.push();
    await other.clock.advance('1500ms');
    const starting = other.poller.start();
    const stopping = other.poller.stop();
    await other.clock.advance('5s');
    await expect(starting).resolves.toBeUndefined();
    expect(await stopping).toMatchObject({ timedOut: false });
    expect([await last, other.poller.health().status]).toEqual([200, 'idle']);
    expect(other.mock.requests.filter(({ endpoint }) => endpoint === 'polling')).toEqual([]);
    expect(other.clock.sleepers).toBe(0);
  });
});

describe('pushes to several processes that start, run once, stop, or do nothing', () => {
  const step = fc.record({
    process: fc.nat(2),
    what: fc.constantFrom('push', 'push', 'push', 'runOnce', 'start', 'stop'),
    order: fc.nat(3),
    afterMs: fc.nat(3000),
    runMs: fc.constantFrom(0, 0, 20, 1500),
    failures: fc.nat(1),
  });
  const stateMs = fc.array(fc.constantFrom(0, 5, 200, 1500), { maxLength: 4 });

  it('are handled once each, by one process at a time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), stateMs, async (steps, latencies) => {
        const clock = new ManualClock();
        const mock = createMockHub({ clock });
        let calls = 0;
        const slowly = async (next: () => unknown) => {
          calls += 1;
          await clock.sleep(latencies[calls % latencies.length] ?? 0).finally(clock.park());
          return next();
        };
        const state = withCalls(memoryState(), {
          lease: slowly,
          release: slowly,
          slot: slowly,
          recall: slowly,
          handled: slowly,
        });
        const broken: string[] = [];
        const resolved: string[] = [];
        const failuresLeft = new Map<string, number>();
        const runMs = new Map<string, number>();
        let atWork: string | undefined;
        let running = 0;
        const pollers = [0, 1, 2].map((index) => {
          const { hub } = clientOf(mock, { clock, state, fetch: mock.fetch });
          const poller = hub.poller().on('error', () => {});
          return poller.on('event', async ({ eventId }) => {
            if (running > 0 && atWork !== String(index)) broken.push(`process ${index} beside ${atWork}`);
            atWork = String(index);
            running += 1;
            await clock.sleep(runMs.get(eventId) ?? 0);
            running -= 1;
            const left = failuresLeft.get(eventId) ?? 0;
            failuresLeft.set(eventId, left - 1);
            if (left > 0) throw new Error('try again');
            resolved.push(eventId);
          });
        });
        for (const { process, what, order, afterMs, runMs: takesMs, failures } of steps) {
          const poller = pollers[process] as EventPoller;
          if (what === 'push') {
            const event = mock.emit('CONFIRMED', { orderId: `order-${order}` });
            runMs.set(event.eventId, takesMs);
            failuresLeft.set(event.eventId, failures);
            void poller.receive(pushOf(event)).then(({ status }) => {
              if (status === 200 && !resolved.includes(event.eventId))
                broken.push('200 before it is handled');
            });
          } else if (what === 'runOnce') poller.runOnce().catch(() => {});
          else if (what === 'start') poller.start().catch(() => {});
          else void poller.stop();
          await clock.advance(afterMs);
        }
        await afterAdvance(clock, '1m', Promise.all(pollers.map((poller) => poller.stop())));
        expect(clock.sleepers).toBe(0);
        // The lease is free, and a last process handles what is left.
        const last = clientOf(mock, { clock, state, fetch: mock.fetch }).hub.poller();
        last.on('event', ({ eventId }) => void resolved.push(eventId));
        await afterAdvance(clock, '10m', last.start());
        expect(broken).toEqual([]);
        expect(resolved.toSorted()).toEqual(
          mock
            .emitted()
            .map(({ eventId }) => eventId)
            .toSorted(),
        );
        expect(mock.pending()).toEqual([]);
        await afterAdvance(clock, '1m', last.stop());
      }),
      { numRuns: runs(100, 10), seed: 20_261_124 },
    );
  });
});
