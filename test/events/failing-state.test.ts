import { memoryState, type State } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { some } from '../runs.js';
import { afterAdvance, type Stage, stage } from '../support.js';
import { pushOf } from './push/support.js';

type Failure = 'throws' | 'rejects' | 'rejects late' | 'has worked, and rejects';

/** A state whose calls from the nth on, `count` of them, fail. */
function failingState(nth: number, count: number, how: Failure, clock: () => Stage['clock']) {
  const memory = memoryState();
  const calls: string[] = [];
  const state = new Proxy(memory, {
    get:
      (_target, name: keyof State) =>
      (...given: unknown[]) => {
        const call = () => (memory[name] as (...given: unknown[]) => unknown).apply(memory, given);
        calls.push(name);
        const isBad = calls.length > nth && calls.length <= nth + count;
        if (!isBad) return call();
        const error = new Error(`call ${nth}, ${name}`);
        if (how === 'throws') throw error;
        if (how === 'rejects late') {
          const unpark = clock().park();
          return clock()
            .sleep(700)
            .finally(unpark)
            .then(() => Promise.reject(error));
        }
        if (how === 'has worked, and rejects') call();
        return Promise.reject(error);
      },
  });
  return { state, calls };
}

/** An evening of one store, with events that fail, redeliveries, a push, a stop and a start. What went wrong. */
async function evening(nth: number, count: number, how: Failure) {
  let all: Stage | undefined;
  const { state, calls } = failingState(nth, count, how, () => (all as Stage).clock);
  all = stage({}, { state });
  const { clock, mock, hub } = all;
  const faults: string[] = [];
  const runs = new Map<string, number>();
  const running = new Set<string>();
  const resolved = new Set<string>();
  const poller = hub.poller({ maxAttempts: 6 }).on('error', () => {});
  const note = async (eventId: string, orderId: string, isLetter = false) => {
    if (running.has(orderId)) faults.push(`two events of ${orderId} run at once`);
    if (resolved.has(eventId)) faults.push(`${eventId} was handled twice`);
    running.add(orderId);
    await clock.sleep(10);
    running.delete(orderId);
    const run = (runs.get(eventId) ?? 0) + 1;
    runs.set(eventId, run);
    if (orderId === 'flaky' && run === 1 && !isLetter) throw new Error('no paper');
    resolved.add(eventId);
  };
  poller.on('event', ({ eventId, orderId }) => note(eventId, orderId));
  poller.on('deadLetter', ({ event }) => note(event.eventId, event.orderId, true));
  const emitted = [
    mock.emit('CREATED', { orderId: 'good' }),
    mock.emit('CREATED', { orderId: 'flaky' }),
    mock.emit('CONFIRMED', { orderId: 'flaky' }),
  ];
  void poller.start().catch((error: unknown) => faults.push(`start: ${error}`));
  await clock.advance('35s');
  emitted.push(mock.emit('CONFIRMED', { orderId: 'good' }));
  void poller.receive(pushOf(emitted.at(-1)));
  await clock.advance('70s');
  mock.redeliver(emitted[0]?.eventId as string);
  await clock.advance('31s');
  await afterAdvance(clock, '40s', poller.stop());
  emitted.push(mock.emit('DISPATCHED', { orderId: 'good' }));
  void poller.start().catch((error: unknown) => faults.push(`start: ${error}`));
  await clock.advance('5m');
  await afterAdvance(clock, '40s', hub.close());
  for (const { eventId } of emitted) if (!resolved.has(eventId)) faults.push(`${eventId} was not handled`);
  for (const { eventId } of mock.pending()) faults.push(`${eventId} is not acknowledged`);
  for (const violation of mock.violations()) faults.push(JSON.stringify(violation));
  if (clock.sleepers > 0) faults.push(`${clock.sleepers} timers are left`);
  return { faults, calls };
}

describe('a state of which one call fails', () => {
  it.each<Failure>(['throws', 'rejects', 'rejects late', 'has worked, and rejects'])(
    'and %s, whichever call it is: every event is handled once, in sequence, and acknowledged',
    async (how) => {
      const { calls, faults } = await evening(0, 0, how);
      expect(faults).toEqual([]);
      expect(calls.length).toBeGreaterThan(20);
      for (const nth of some([...calls.keys()], 12)) {
        const found = await evening(nth, 1, how);
        expect([nth, calls[nth], found.faults]).toEqual([nth, calls[nth], []]);
      }
    },
  );
});
