import { fileState, memoryState } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../state/file/support.js';
import { methodsOf, mortalClient } from '../state/methods.js';
import { afterAdvance, clientOf, gate, stage } from '../support.js';
import { fails, withCalls } from './support.js';

describe('attempts', () => {
  it('are counted across six processes in a row, and end in a dead letter', async () => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const directory = temporaryDirectory();
    mock.createOrder();
    const attempts: [number, redelivered: boolean][] = [];
    const letters: number[] = [];
    for (let process = 0; process < 6; process += 1) {
      const state = fileState(directory);
      const { hub } = clientOf(mock, { clock, state });
      const poller = hub.poller({ maxAttempts: 2 }).on('error', () => {});
      poller.on('CREATED', (_event, { attempt, redelivered }) => {
        attempts.push([attempt, redelivered]);
        throw new Error('no paper');
      });
      poller.on('deadLetter', (letter) => {
        letters.push(letter.attempts);
        throw new Error('not yet');
      });
      await afterAdvance(clock, '31s', poller.runOnce());
      await hub.close();
      await state.close();
    }
    expect(attempts).toEqual([
      [1, false],
      [2, true],
    ]);
    expect(letters).toEqual([2, 2, 2, 2, 2]);
    expect(mock.acknowledged()).toEqual([]);
  });

  it('are not counted for a poll that is aborted while they are being counted', async () => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    mock.createOrder();
    const state = memoryState();
    const slow = gate();
    const recall: typeof state.recall = async (...request) => {
      const marks = await state.recall(...request);
      await slow.promise;
      return marks;
    };
    const first = clientOf(mock, { clock, state: { ...methodsOf(state), recall } }).hub;
    const controller = new AbortController();
    const { signal } = controller;
    const aborted = first
      .poller()
      .on('CREATED', () => {})
      .runOnce({ signal })
      .catch((error: unknown) => error);
    await clock.advance('1s');
    controller.abort(new Error('no time'));
    expect(await aborted).toMatchObject({ message: 'no time' });
    slow.open();
    await afterAdvance(clock, '1s', first.close());
    const { hub } = clientOf(mock, { clock, state });
    const attempts: number[] = [];
    const poller = hub.poller().on('CREATED', (_event, { attempt }) => void attempts.push(attempt));
    await afterAdvance(clock, '1m', poller.runOnce());
    expect(attempts).toEqual([1]);
  });

  it('are not counted for an event that another one of its order blocked', async () => {
    const { clock, mock, hub } = stage();
    const attempts: string[] = [];
    const poller = hub.poller({ maxAttempts: 2 }).on('error', () => {});
    let fails = true;
    poller.on('CREATED', () => {
      if (fails) throw new Error('no paper');
    });
    poller.on('CONFIRMED', (_event, { attempt }) => void attempts.push(`confirmed ${attempt}`));
    poller.on('deadLetter', () => {
      if (fails) throw new Error('not yet');
    });
    const { orderId } = mock.createOrder();
    mock.emit('CONFIRMED', { orderId });
    await poller.start();
    await clock.advance('5m');
    expect(attempts).toEqual([]);
    fails = false;
    await clock.advance('1m');
    expect(attempts).toEqual(['confirmed 1']);
    expect(mock.pending()).toEqual([]);
  });

  it('are not counted for events that were not dispatched because of a stop', async () => {
    const { clock, mock, hub } = stage();
    const pending = gate();
    const first = hub.poller({ concurrency: 1 }).on('CREATED', () => pending.promise);
    mock.createOrder();
    mock.createOrder();
    await afterAdvance(clock, 0, first.start());
    const stopped = first.stop();
    pending.open();
    await stopped;
    const attempts: number[] = [];
    const second = hub.poller().on('CREATED', (_event, { attempt }) => void attempts.push(attempt));
    await afterAdvance(clock, '31s', second.runOnce());
    expect(attempts).toEqual([1]);
  });

  it('that the state could not count in advance are counted when they fail', async () => {
    const state = memoryState();
    let isFull = true;
    const full = withCalls(state, {
      'recall and count': (next) => (isFull ? fails() : next()),
    });
    const { clock, mock, hub } = stage({}, { state: full });
    const poller = hub.poller().on('error', () => {});
    poller.on('DISPATCHED', () => {
      isFull = false;
      throw new Error('out of paper');
    });
    mock.emit('DISPATCHED');
    await poller.start();
    await poller.stop();
    await hub.close();
    const next = clientOf(mock, { clock, state }).hub.poller();
    next.on('CONFIRMED', () => {}).on('error', () => {});
    await afterAdvance(clock, '2m', next.start());
    expect(mock.pending()).toHaveLength(1);
  });

  it('that the state has lost are known to this process', async () => {
    let isFull = true;
    const refused = (next: () => unknown) => (isFull ? fails() : next());
    const state = withCalls(memoryState(), { 'recall and count': refused, attempts: refused });
    const { clock, mock, hub } = stage({}, { state });
    const attempts: number[] = [];
    const poller = hub.poller().on('error', () => {});
    poller.on('CREATED', (_event, { attempt }) => {
      attempts.push(attempt);
      if (attempt < 3) throw new Error('no paper');
    });
    mock.createOrder();
    await poller.start();
    isFull = false;
    await clock.advance('5m');
    expect(attempts).toEqual([1, 2, 3]);
  });

  it('are not counted for an event that waits for a run of its order, if their process is killed', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    const { hub: killed, kill } = mortalClient(mock, state, { clock });
    const dying = killed.poller({ listenerTimeoutMs: 10_000 }).on('error', () => {});
    dying.on('CREATED', () => new Promise(() => {})).on('CONFIRMED', () => {});
    const { orderId } = mock.createOrder();
    await afterAdvance(clock, '11s', dying.start());
    mock.emit('CONFIRMED', { orderId });
    mock.createOrder();
    // Its listener runs: the second turn has not ended.
    await clock.advance('25s');
    dying.pause();
    kill();

    const { hub } = clientOf(mock, { clock, state });
    const attempts: number[] = [];
    const next = hub.poller().on('CREATED', () => {});
    next.on('CONFIRMED', (_event, { attempt }) => void attempts.push(attempt));
    await afterAdvance(clock, '2m', next.start());
    expect(attempts).toEqual([1]);
  });
});

describe('an event', () => {
  it('whose process was killed while its listener ran does not count as unhandled in the next one', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    const { hub: killed, kill } = mortalClient(mock, state, { clock });
    mock.createOrder();
    mock.emit('CONFIRMED');
    const dying = killed.poller({ listenerTimeoutMs: 86_400_000 });
    await dying.on('CREATED', () => new Promise(() => {})).start();
    dying.pause();
    kill();
    expect(mock.acknowledged()).toEqual([]);

    const { hub } = clientOf(mock, { clock, state });
    const next = hub.poller();
    const errors: string[] = [];
    next.on('DISPATCHED', () => {}).on('error', ({ message }) => void errors.push(message));
    await afterAdvance(clock, '2m', next.start());
    expect(new Set(mock.acknowledged().map(({ eventType }) => eventType))).toEqual(new Set(['CONFIRMED']));
    expect(errors).toContain(
      'no listener is left for CREATED; the event stays at the hub until there is one, if only one that does nothing',
    );
    next.on('CREATED', () => {});
    await clock.advance('31s');
    expect(mock.pending()).toEqual([]);
  });

  it('that only waited for a once listener is unhandled when that listener is gone', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller();
    const handled: string[] = [];
    poller.once('DISPATCHED', async ({ orderId }) => {
      await clock.sleep(1000);
      handled.push(orderId);
    });
    poller.on('CONFIRMED', () => {});
    mock.emit('DISPATCHED');
    mock.emit('DISPATCHED');
    await poller.start();
    await clock.advance('31s');
    expect(handled).toHaveLength(1);
    expect(mock.pending()).toEqual([]);
  });

  it.each([1, 2])(
    'whose listener kills its process takes no other event to the dead letters with it, with maxAttempts %i',
    async (maxAttempts) => {
      const { clock, mock } = stage();
      const state = memoryState();
      const letters: unknown[] = [];
      const ran: unknown[] = [];
      const poison = mock.createOrder().orderId;
      const follower = mock.emit('CONFIRMED', { orderId: poison }).eventId;
      const innocent = mock.createOrder().orderId;
      for (let process = 0; process < 3; process += 1) {
        const { hub, kill } = mortalClient(mock, state, { clock });
        const poller = hub.poller({ maxAttempts, concurrency: 1, listenerTimeoutMs: 86_400_000 });
        poller.on('event', ({ orderId, eventId, eventType }) => {
          if (orderId === poison && eventType === 'CREATED') {
            kill();
            return new Promise(() => {});
          }
          ran.push(orderId === innocent ? 'innocent' : eventId);
        });
        poller.on('deadLetter', ({ event, attempts }) => void letters.push([event.orderId, attempts]));
        poller.on('error', () => {});
        poller.start().catch(() => {});
        await clock.advance('3m');
        poller.pause();
      }
      expect(letters).toEqual([[poison, maxAttempts]]);
      expect(new Set(ran)).toEqual(new Set([follower, 'innocent']));
      expect(mock.pending()).toEqual([]);
    },
  );
});

it.each([
  ['a limit of three attempts from the start', [3, 3, 3, 3, 3], 3],
  [
    'no limit, and then one of three, which is to end the crashes',
    [Infinity, Infinity, Infinity, Infinity, 3],
    4,
  ],
])(
  'a listener that kills its process takes no order to the dead letters that no listener has had: %s',
  async (_, limits, calls) => {
    const { clock, mock } = stage();
    const state = memoryState();
    const letters: unknown[] = [];
    const handled = new Set<string>();
    const orders = Array.from({ length: 20 }, () => mock.createOrder().orderId);
    for (const maxAttempts of limits) {
      const { hub, kill } = mortalClient(mock, state, { clock });
      const poller = hub.poller({ maxAttempts, listenerTimeoutMs: 86_400_000 });
      let isDead = false;
      poller.on('CREATED', ({ orderId }) => {
        if (orderId === orders[0] || isDead) {
          isDead = true;
          kill();
          return new Promise(() => {});
        }
        handled.add(orderId);
      });
      poller.on('deadLetter', ({ event, attempts }) => void letters.push([event.orderId, attempts]));
      poller.on('error', () => {});
      poller.start().catch(() => {});
      await clock.advance('3m');
      poller.pause();
    }
    expect(letters).toEqual([[orders[0], calls]]);
    expect(handled).toEqual(new Set(orders.slice(1)));
    expect(mock.pending()).toEqual([]);
  },
);

it('an attempt that could not be counted alone is not counted twice when marks wait', async () => {
  const marks = gate();
  let isSlow = false;
  let alone = 0;
  const state = withCalls(memoryState(), {
    'recall and count': (next, _key, _ids, request) => {
      if ((request as { count: { below: number } }).count.below !== Number.POSITIVE_INFINITY) return next();
      alone += 1;
      next();
      throw new Error('the reply is lost');
    },
    handled: (next) => (isSlow ? marks.promise.then(next) : next()),
  });
  const { clock, mock, hub } = stage({ unansweredAfterMs: Number.POSITIVE_INFINITY }, { state });
  let runs = 0;
  const poller = hub.poller({ maxAttempts: 5 }).on('error', () => {});
  poller.on('CREATED', ({ eventId }) => {
    if (eventId !== 'first') return;
    runs += 1;
    if (runs === 1) throw new Error('fails');
  });
  mock.emit('CREATED', { eventId: 'first', orderId: 'first' });
  void poller.start();
  await clock.advance('5s');
  isSlow = true;
  for (let index = 0; index < 500; index += 1) mock.emit('CREATED', { orderId: `o${index}` });
  await clock.advance('40s');
  marks.open();
  await clock.advance('1s');
  expect([runs, alone]).toEqual([2, 1]);
  await afterAdvance(clock, '5s', poller.stop());
});
