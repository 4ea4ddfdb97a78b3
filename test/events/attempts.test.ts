import { fileState, memoryState } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../state/file/support.js';
import { mortalClient } from '../state/methods.js';
import { clientOf, gate, stage } from '../support.js';

describe('attempts', () => {
  it('are counted across six processes in a row, and then end in a dead letter', async () => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const directory = temporaryDirectory();
    mock.createOrder();
    const attempts: number[] = [];
    const letters: number[] = [];
    for (let process = 0; process < 6; process += 1) {
      const state = fileState(directory);
      const { hub } = clientOf(mock, { clock, state });
      const poller = hub.poller({ maxAttempts: 2 });
      poller.on('error', () => {});
      poller.on('CREATED', (_event, { attempt }) => {
        attempts.push(attempt);
        throw new Error('no paper');
      });
      poller.on('deadLetter', (letter) => {
        letters.push(letter.attempts);
        throw new Error('not yet');
      });
      const cycle = poller.runOnce();
      await clock.advance('31s');
      await cycle;
      await hub.close();
      await state.close();
    }
    expect(attempts).toEqual([1, 2]);
    expect(letters).toEqual([2, 2, 2, 2, 2]);
    expect(mock.acknowledged()).toEqual([]);
  });

  it('of a process that its listener killed are counted: at most one too many for each kill', async () => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const state = memoryState();
    mock.createOrder();
    const attempts: number[] = [];
    let letters = 0;
    for (let process = 0; process < 4; process += 1) {
      // Killed in the listener: its lease ends by itself.
      const { hub, kill } = mortalClient(mock, state, { clock });
      const poller = hub.poller({ maxAttempts: 2, listenerTimeoutMs: 3_600_000 });
      poller.on('CREATED', (_event, { attempt }) => {
        attempts.push(attempt);
        kill();
        return new Promise(() => {});
      });
      poller.on('deadLetter', () => {
        letters += 1;
        kill();
        return new Promise(() => {});
      });
      poller.on('error', () => {});
      poller.start().catch(() => {});
      await clock.advance('3m');
    }
    expect(attempts).toEqual([1, 2]);
    expect(letters).toBe(2);
  });

  it('are not counted for an event that was held back behind another one of its order', async () => {
    const { clock, mock, hub } = stage();
    const attempts: string[] = [];
    const poller = hub.poller({ maxAttempts: 2 });
    let fails = true;
    poller.on('CREATED', () => {
      if (fails) throw new Error('no paper');
    });
    poller.on('CONFIRMED', (_event, { attempt }) => void attempts.push(`confirmed ${attempt}`));
    poller.on('deadLetter', () => {
      if (fails) throw new Error('not yet');
    });
    poller.on('error', () => {});
    const { orderId } = mock.createOrder();
    mock.emit('CONFIRMED', { orderId });
    await poller.start();
    await clock.advance('5m');
    expect(attempts).toEqual([]);
    fails = false;
    await clock.advance('1m');
    expect(attempts).toEqual(['confirmed 1']);
    expect(mock.pending()).toEqual([]);
    await poller.stop();
  });

  it('are not counted for events that a stop held back', async () => {
    const { clock, mock, hub } = stage();
    const held = gate();
    const first = hub.poller({ concurrency: 1 });
    first.on('CREATED', () => held.promise);
    mock.createOrder();
    mock.createOrder();
    const started = first.start();
    await clock.advance(0);
    await started;
    const stopped = first.stop();
    held.open();
    await stopped;
    const attempts: number[] = [];
    const second = hub.poller();
    second.on('CREATED', (_event, { attempt }) => void attempts.push(attempt));
    const cycle = second.runOnce();
    await clock.advance('31s');
    await cycle;
    expect(attempts).toEqual([1]);
  });
});

describe('a run that timed out', () => {
  it('belongs to the client: no later poller of it runs the event again before it has settled', async () => {
    const { clock, mock, hub } = stage();
    const held = gate();
    let running = 0;
    let most = 0;
    let runs = 0;
    const listener = async () => {
      runs += 1;
      running += 1;
      most = Math.max(most, running);
      await held.promise;
      running -= 1;
    };
    mock.createOrder();
    for (let cycle = 0; cycle < 4; cycle += 1) {
      const poller = hub.poller({ listenerTimeoutMs: 1000 });
      poller.on('CREATED', listener).on('error', () => {});
      const report = poller.runOnce();
      await clock.advance('31s');
      expect(await report).toMatchObject({ received: 1, handled: 0 });
    }
    const stopped = hub.poller({ listenerTimeoutMs: 1000 });
    stopped.on('CREATED', listener).on('error', () => {});
    const started = stopped.start();
    await clock.advance('31s');
    await started;
    await stopped.stop({ timeoutMs: 0 });
    expect([runs, most]).toEqual([1, 1]);
    held.open();
    await clock.advance('2s');
    // Resolved means handled, whichever poller began it.
    const last = hub.poller();
    last.on('CREATED', listener);
    const report = last.runOnce();
    await clock.advance('61s');
    await report;
    expect(runs).toBe(1);
    expect(mock.pending()).toEqual([]);
    expect(clock.sleepers).toBe(0);
  });

  it('and rejects later counts as failed, and is dispatched again', async () => {
    const { clock, mock, hub } = stage();
    const held = gate();
    let runs = 0;
    mock.createOrder();
    const poller = hub.poller({ listenerTimeoutMs: 1000 });
    poller.on('error', () => {});
    poller.on('CREATED', () => {
      runs += 1;
      return runs === 1 ? held.promise : undefined;
    });
    await poller.start();
    await clock.advance('2m');
    expect(runs).toBe(1);
    held.fail(new Error('no paper'));
    await clock.advance('31s');
    expect(runs).toBe(2);
    expect(mock.pending()).toEqual([]);
    await poller.stop();
  });

  it('keeps the lease after runOnce until it has settled, so that no other process runs the event', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    const [one, two] = [0, 1].map(() => clientOf(mock, { clock, state }).hub);
    const held = gate();
    mock.createOrder();
    const first = one?.poller({ listenerTimeoutMs: 1000 });
    first?.on('CREATED', () => held.promise).on('error', () => {});
    const report = first?.runOnce();
    await clock.advance('2s');
    expect(await report).toMatchObject({ handled: 0 });
    const second = two?.poller().on('CREATED', () => {});
    await clock.advance('10m');
    expect(await second?.runOnce()).toMatchObject({ skipped: 'leased' });
    held.open();
    await clock.advance('1s');
    expect(await second?.runOnce()).toMatchObject({ received: 0 });
    expect(clock.sleepers).toBe(0);
  });
});
