import { memoryState, type State, StateError } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { EventMarks } from '../../src/events/event-marks.js';
import { HANDLED } from '../../src/state/port.js';
import { clientOf, stage } from '../support.js';
import { afterAdvance, withCalls } from './support.js';

/** A week has 20,160 polls at the default interval. */
const RARELY_MS = 600_000;

describe('the mark of a handled event', () => {
  it('is renewed when the hub sends the event again: it is handled once in a week', async () => {
    const { clock, mock, hub } = stage();
    let handled = 0;
    const poller = hub.poller({ intervalMs: RARELY_MS }).on('CREATED', () => void (handled += 1));
    const { event: created } = mock.createOrder();
    await poller.start();
    await clock.advance('1m');
    for (let day = 0; day < 7 * 4; day += 1) {
      mock.redeliver(created.eventId);
      await clock.advance('6h');
    }
    expect(handled).toBe(1);
    await poller.stop();
  });

  it('ends after rememberMs: a redelivered event is then handled again', async () => {
    const { clock, mock, hub } = stage();
    let calls = 0;
    const poller = hub.poller({ rememberMs: 60_000 });
    poller.on('CREATED', () => void (calls += 1));
    const { event } = mock.createOrder();
    await poller.start();
    await clock.advance('65s');
    mock.redeliver(event.eventId);
    await clock.advance('30s');
    expect(calls).toBe(2);
    await poller.stop();
  });

  it('ends rememberMs after the hub last sent the event', async () => {
    const { clock, mock, hub } = stage();
    let handled = 0;
    const poller = hub.poller({ rememberMs: 3_600_000 }).on('CREATED', () => void (handled += 1));
    const { event: created } = mock.createOrder();
    await poller.start();
    await clock.advance('2h');
    mock.redeliver(created.eventId);
    await clock.advance('1m');
    expect(handled).toBe(2);
    await poller.stop();
  });

  it('can be kept without an end', async () => {
    const { clock, mock, hub } = stage();
    let runs = 0;
    mock.createOrder();
    for (let count = 0; count < 4; count += 1) mock.faults.next('acknowledgment', 503);
    for (let count = 0; count < 2; count += 1) {
      const poller = hub.poller({ rememberMs: Number.MAX_SAFE_INTEGER });
      poller.on('CREATED', () => void (runs += 1)).on('error', () => {});
      await afterAdvance(clock, '5m', poller.runOnce());
    }
    expect(runs).toBe(1);
  });

  it('that could not be written is known to the next poller of the client', async () => {
    const memory = memoryState();
    let isFull = true;
    const state = withCalls(memory, {
      remember: (...given) => {
        if (isFull) throw new Error('disk full');
        return memory.remember(...given);
      },
    });
    const { clock, mock, hub } = stage({}, { state });
    let runs = 0;
    mock.createOrder();
    for (let count = 0; count < 4; count += 1) mock.faults.next('acknowledgment', 503);
    for (let count = 0; count < 2; count += 1) {
      const poller = hub.poller();
      poller.on('CREATED', () => void (runs += 1)).on('error', () => {});
      await afterAdvance(clock, '5m', poller.runOnce());
      isFull = false;
    }
    expect(runs).toBe(1);
    expect(mock.pending()).toEqual([]);
  });
});

describe('the mark of an attempted event', () => {
  it('is renewed too: it never counts as unhandled, not after days and a restart', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    const { hub } = clientOf(mock, { clock, state });
    const poller = hub.poller({ intervalMs: RARELY_MS });
    poller.on('error', () => {});
    poller.on('CREATED', () => {
      throw new Error('no paper');
    });
    mock.createOrder();
    await poller.start();
    await clock.advance('24h');
    await clock.advance('24h');
    await hub.close();
    const { hub: later } = clientOf(mock, { clock, state });
    const without = later.poller().on('CONFIRMED', () => {});
    without.on('error', () => {});
    await afterAdvance(clock, '2m', without.start());
    expect(mock.acknowledged()).toEqual([]);
    await without.stop();
  });
});

describe('the marks in the state', () => {
  const marksIn = (state: State, unwritten = new Set<string>()) => {
    const scrub = (text: string) => text.replaceAll('secret', '***');
    const clock = new ManualClock();
    return new EventMarks({ state, stateKey: 'events', clock, rememberMs: 1000, scrub, unwritten });
  };
  const failing = () => {
    throw new Error('no secret disk');
  };

  it('are 0, the number of attempts, or HANDLED', async () => {
    const marks = marksIn(memoryState());
    await marks.count(['attempted'], 1);
    expect(await marks.count(['attempted'], 1)).toEqual([2]);
    expect(await marks.writeHandled('handled', 'id')).toBeUndefined();
    expect(await marks.read(['new', 'attempted', 'handled'])).toEqual([0, 2, HANDLED]);
    expect(await marks.count([], 1)).toEqual([]);
    expect(await marks.read([])).toEqual([]);
  });

  it('that cannot be read are a StateError without a secret', async () => {
    const marks = marksIn(withCalls(memoryState(), { recall: failing }));
    const error = await marks.read(['a']).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(StateError);
    expect((error as StateError).message).toContain('(Error: no *** disk)');
  });

  it('that cannot be counted are undefined', async () => {
    const marks = marksIn(withCalls(memoryState(), { count: failing }));
    expect(await marks.count(['a'], 1)).toBeUndefined();
  });

  it('that cannot be written are kept, read as HANDLED, and written before the next read', async () => {
    const memory = memoryState();
    const unwritten = new Set<string>();
    let isFull = true;
    const state = withCalls(memory, {
      remember: (...given) => (isFull ? failing() : memory.remember(...given)),
    });
    const marks = marksIn(state, unwritten);
    const error = await marks.writeHandled('key', 'id of a secret');
    expect(error).toBeInstanceOf(StateError);
    expect(error?.message).toBe('event id of a *** is handled, but the mark could not be written');
    await marks.flush();
    expect(unwritten).toEqual(new Set(['key']));
    await expect(marks.read(['key'])).rejects.toBeInstanceOf(StateError);
    isFull = false;
    expect(await marks.read(['key', 'other'])).toEqual([HANDLED, 0]);
    expect(unwritten.size).toBe(0);
    expect(
      await memory.recall('events', ['key'], { handledMs: 1, attemptedMs: 1 }, new ManualClock()),
    ).toEqual([HANDLED]);
  });
});
