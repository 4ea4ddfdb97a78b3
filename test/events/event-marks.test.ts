import { memoryState, type State, StateError } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, vi } from 'vitest';
import { EventMarks, type EventMarksOptions } from '../../src/events/event-marks.js';
import { HandledMarks } from '../../src/events/handled-marks.js';
import { HANDLED } from '../../src/state/port.js';
import { runs } from '../runs.js';
import { clientOf, stage } from '../support.js';
import { afterAdvance, entryOf, withCalls } from './support.js';

const QUARTER_DAYS = runs(7 * 4, 14);

/** A week has 20,160 polls at the default interval. */
const RARELY_MS = 600_000;

describe('the mark of a handled event', () => {
  it('is renewed when the hub sends the event again: it is handled once', async () => {
    const { clock, mock, hub } = stage();
    let handled = 0;
    const poller = hub.poller({ intervalMs: RARELY_MS }).on('CREATED', () => void (handled += 1));
    const { event: created } = mock.createOrder();
    await poller.start();
    await clock.advance('1m');
    for (let quarter = 0; quarter < QUARTER_DAYS; quarter += 1) {
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
    let handled = 0;
    mock.createOrder();
    for (let count = 0; count < 4; count += 1) mock.faults.next('acknowledgment', 503);
    for (let count = 0; count < 2; count += 1) {
      const poller = hub.poller({ rememberMs: Number.MAX_SAFE_INTEGER });
      poller.on('CREATED', () => void (handled += 1)).on('error', () => {});
      await afterAdvance(clock, '5m', poller.runOnce());
    }
    expect(handled).toBe(1);
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
    let handled = 0;
    mock.createOrder();
    for (let count = 0; count < 4; count += 1) mock.faults.next('acknowledgment', 503);
    for (let count = 0; count < 2; count += 1) {
      const poller = hub.poller();
      poller.on('CREATED', () => void (handled += 1)).on('error', () => {});
      await afterAdvance(clock, '5m', poller.runOnce());
      isFull = false;
    }
    expect(handled).toBe(1);
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

describe('a state that can read marks and not write them', () => {
  const full = () => {
    throw new Error('disk full');
  };

  it('delays no event: it is handled, acknowledged, known to the process, and reported', async () => {
    const memory = memoryState();
    const state = withCalls(memory, {
      recall: (key, ids, request, clock) =>
        request.count ? full() : memory.recall(key, ids, request, clock),
      remember: full,
      count: full,
    });
    const { clock, mock, hub } = stage({}, { state });
    const errors: unknown[] = [];
    const handled: string[] = [];
    const poller = hub.poller().on('error', (error) => void errors.push(error));
    poller.on('CREATED', ({ orderId }) => void handled.push(orderId));
    const orders = [mock.createOrder(), mock.createOrder()].map(({ orderId }) => orderId);
    await afterAdvance(clock, '1m', poller.runOnce());
    expect(handled.sort()).toEqual(orders.sort());
    expect(mock.pending()).toEqual([]);
    const messages = errors.map((error) => (error as StateError).message);
    expect(messages.filter((message) => message.includes('could not count the attempts'))).toHaveLength(1);
    expect(messages.filter((message) => message.includes('the mark could not be written'))).toHaveLength(2);
    expect(messages).toHaveLength(3);
  });

  it('counts the attempts of a failing listener in this process', async () => {
    const memory = memoryState();
    const state = withCalls(memory, {
      recall: (key, ids, request, clock) =>
        request.count ? full() : memory.recall(key, ids, request, clock),
      count: full,
    });
    const { clock, mock, hub } = stage({}, { state });
    const attempts: number[] = [];
    const dead: string[] = [];
    const poller = hub.poller({ maxAttempts: 2 }).on('error', () => {});
    poller.on('CREATED', (_event, { attempt }) => {
      attempts.push(attempt);
      throw new Error('no paper');
    });
    poller.on('deadLetter', ({ event }) => void dead.push(event.orderId));
    const { orderId } = mock.createOrder();
    await poller.start();
    await clock.advance('2m');
    expect(attempts).toEqual([1, 2]);
    expect(dead).toEqual([orderId]);
    await poller.stop();
  });

  it('leaves the events at the hub if it cannot read either', async () => {
    const { clock, mock, hub } = stage({}, { state: withCalls(memoryState(), { recall: full }) });
    let handled = 0;
    const poller = hub.poller().on('CREATED', () => void (handled += 1));
    mock.createOrder();
    const failed = poller.runOnce().catch((error: unknown) => error);
    expect(await afterAdvance(clock, '1m', failed)).toBeInstanceOf(StateError);
    expect(handled).toBe(0);
    expect(mock.pending()).toHaveLength(1);
  });
});

describe('the marks in the state', () => {
  const marksIn = (
    state: State,
    more: Partial<EventMarksOptions> = {},
    onUncounted: (error: StateError) => void = () => {},
  ) => {
    const quote = (text: string) => text.replaceAll('secret', '***');
    const clock = new ManualClock();
    const shared = { state, stateKey: 'events', clock };
    const handledMarks = new HandledMarks(shared);
    const options = {
      ...shared,
      rememberMs: 1000,
      maxAttempts: Number.POSITIVE_INFINITY,
      quote,
      handledMarks,
    };
    return { marks: new EventMarks({ ...options, ...more }, onUncounted), handledMarks };
  };
  const failing = () => {
    throw new Error('no secret disk');
  };
  const readAll = async (marks: EventMarks, keys: string[], willRun = keys.map(() => false)) => {
    const read = await marks.read(keys, willRun);
    return { marks: read.marks, counted: keys.map((_key, index) => read.isCounted(index)) };
  };

  it('are 0, the number of attempts, or HANDLED', async () => {
    const { marks, handledMarks } = marksIn(memoryState());
    await marks.count(['attempted'], 1);
    expect(await marks.count(['attempted'], 1)).toEqual([2]);
    handledMarks.add(entryOf('handled'), 1000, { markTried: () => {} });
    await handledMarks.flush();
    expect((await readAll(marks, ['new', 'attempted', 'handled'])).marks).toEqual([0, 2, HANDLED]);
    expect(await marks.count([], 1)).toEqual([]);
    expect((await readAll(marks, [])).marks).toEqual([]);
  });

  it('are read and counted in one step: those of events that will run and were not handled', async () => {
    const state = memoryState();
    const recall = vi.spyOn(state, 'recall');
    const { marks, handledMarks } = marksIn(state);
    handledMarks.add(entryOf('handled'), 1000, { markTried: () => {} });
    await handledMarks.flush();
    await marks.count(['attempted'], 1);
    const keys = ['new', 'attempted', 'handled', 'blocked'];
    const found = await readAll(marks, keys, [true, true, true, false]);
    expect(found).toEqual({ marks: [0, 1, HANDLED, 0], counted: [true, true, false, false] });
    expect(recall).toHaveBeenCalledTimes(1);
    expect((await readAll(marks, keys)).marks).toEqual([1, 2, HANDLED, 0]);
  });

  it('of events that were attempted before are not counted if maxAttempts is finite', async () => {
    const { marks } = marksIn(memoryState(), { maxAttempts: 3 });
    await marks.count(['attempted'], 1);
    const found = await readAll(marks, ['new', 'attempted'], [true, true]);
    expect(found).toEqual({ marks: [0, 1], counted: [true, false] });
    expect((await readAll(marks, ['new', 'attempted'])).marks).toEqual([1, 1]);
  });

  it('that cannot be read are a StateError without a secret', async () => {
    for (const recall of [failing, async () => failing()]) {
      const { marks } = marksIn(withCalls(memoryState(), { recall }));
      const error = await readAll(marks, ['a']).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(StateError);
      expect((error as StateError).message).toContain('(Error: no *** disk)');
    }
  });

  it.each<[string, () => never | Promise<never>]>([
    ['throws', failing],
    ['rejects', async () => failing()],
  ])('are read without a count if the state %s when it should count', async (_how, fail) => {
    const memory = memoryState();
    const recall = vi.fn<State['recall']>((key, ids, request, clock) =>
      request.count ? fail() : memory.recall(key, ids, request, clock),
    );
    const onUncounted = vi.fn();
    const { marks } = marksIn(withCalls(memory, { recall }), {}, onUncounted);
    await marks.count(['attempted'], 1);
    const found = await readAll(marks, ['new', 'attempted'], [true, true]);
    expect(found).toEqual({ marks: [0, 1], counted: [false, false] });
    expect(recall).toHaveBeenCalledTimes(2);
    expect(onUncounted).toHaveBeenCalledTimes(1);
    const [error] = onUncounted.mock.calls[0] ?? [];
    expect(error).toBeInstanceOf(StateError);
    expect((error as StateError).message).toContain('(Error: no *** disk)');
  });

  it('are not reported as uncounted if they cannot be read either', async () => {
    const onUncounted = vi.fn();
    const { marks } = marksIn(withCalls(memoryState(), { recall: failing }), {}, onUncounted);
    await expect(readAll(marks, ['a'], [true])).rejects.toBeInstanceOf(StateError);
    expect(onUncounted).not.toHaveBeenCalled();
  });

  it('that cannot be counted are undefined', async () => {
    const { marks } = marksIn(withCalls(memoryState(), { count: failing }));
    expect(await marks.count(['a'], 1)).toBeUndefined();
  });

  it('that cannot be written are kept, read as HANDLED, and written before the next read', async () => {
    const memory = memoryState();
    let isFull = true;
    const state = withCalls(memory, {
      remember: (...given) => (isFull ? failing() : memory.remember(...given)),
    });
    const { marks, handledMarks } = marksIn(state);
    const markTried = vi.fn();
    handledMarks.add(entryOf('key'), 1000, { markTried });
    await handledMarks.flush();
    expect(markTried.mock.calls[0]?.[1]).toMatchObject({ message: 'no secret disk' });
    expect(handledMarks.unwritten()).toEqual(new Set(['key']));
    await expect(readAll(marks, ['key'])).rejects.toBeInstanceOf(StateError);
    isFull = false;
    expect(await readAll(marks, ['key', 'other'], [true, true])).toEqual({
      marks: [HANDLED, 0],
      counted: [false, true],
    });
    expect(handledMarks.unwritten().size).toBe(0);
    expect(
      await memory.recall('events', ['key'], { handledMs: 1, attemptedMs: 1 }, new ManualClock()),
    ).toEqual([HANDLED]);
  });
});
