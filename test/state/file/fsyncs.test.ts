import { cpSync, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { HubClient } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MAX_WAITING_MARKS } from '../../../src/events/handled-marks.js';
import { idOf } from '../contract.js';
import { DAY_MS, openState, temporaryDirectory } from './support.js';

const lifetimes = { handledMs: DAY_MS, attemptedMs: DAY_MS };
const poll = { limit: 2, holdMs: 95_000, lease: { holder: 'a', leaseMs: 45_000 } };
const idsFrom = (start: number, count: number) =>
  Array.from({ length: count }, (_, index) => `event-${start + index}`);

/** Counts the syncs of this process, and can delay them. */
async function syncs() {
  const probe = await open(join(temporaryDirectory(), 'probe'), 'w');
  const prototype = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const { datasync, sync } = prototype;
  let count = 0;
  let gate: Promise<void> = Promise.resolve();
  const counted = (original: () => Promise<void>) =>
    async function (this: FileHandle) {
      count += 1;
      await gate;
      return Reflect.apply(original, this, []);
    };
  vi.spyOn(prototype, 'datasync').mockImplementation(counted(datasync));
  vi.spyOn(prototype, 'sync').mockImplementation(counted(sync));
  onTestFinished(() => void vi.restoreAllMocks());
  return {
    /** The number of syncs since the last call. */
    taken() {
      const taken = count;
      count = 0;
      return taken;
    },
    /** Syncs wait until the returned function is called. */
    hold() {
      let release = () => {};
      gate = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
  };
}

/** A state whose journal is open. */
async function opened() {
  const directory = temporaryDirectory();
  const clock = new ManualClock();
  const state = openState(directory);
  await state.recall('s', [], lifetimes, clock);
  const counter = await syncs();
  return { directory, clock, state, ...counter };
}

describe('fsyncs', () => {
  it('of an idle poll: one, for its slot', async () => {
    const { clock, state, taken } = await opened();
    for (let round = 0; round < 5; round += 1) {
      const slot = idOf(await state.reserve('q', poll, clock));
      expect(await state.recall('s', [], lifetimes, clock)).toEqual([]);
      await state.settle('q', slot, 60_000, clock);
      expect(taken()).toBe(1);
      await clock.advance('60s');
    }
  });

  it('of a poll with a thousand events, marked in batches of two hundred: seven', async () => {
    const { clock, state, taken } = await opened();
    const ids = idsFrom(0, 1000);
    const slot = idOf(await state.reserve('q', poll, clock));
    await state.recall('s', ids, { ...lifetimes, count: { ids, below: 1 } }, clock);
    await state.settle('q', slot, 60_000, clock);
    for (let start = 0; start < 1000; start += MAX_WAITING_MARKS)
      await state.remember('s', idsFrom(start, MAX_WAITING_MARKS), DAY_MS, clock);
    expect(taken()).toBe(7);
  });

  it.each([
    [0, 1],
    [1, 4],
    [1000, 17],
  ])(
    'of a running poller, for a poll with %i events and their acknowledgments: at most %i',
    async (count, most) => {
      const { clock, state, taken } = await opened();
      const mock = createMockHub({ clock });
      const hub = new HubClient({
        baseUrl: mock.baseUrl,
        ...mock.credentials,
        fetch: mock.fetch,
        clock,
        state,
      });
      const poller = hub.poller().on('CREATED', () => {});
      onTestFinished(async () => void (await Promise.all([hub.close(), clock.advance('1s')])));
      await poller.start();
      await clock.advance('1s');
      for (let each = 0; each < count; each += 1) mock.createOrder();
      taken();
      await clock.advance('31s');
      expect(mock.pending()).toEqual([]);
      expect(taken()).toBeLessThanOrEqual(most);
    },
  );

  it('of calls in one turn of the event loop: one, and of calls during a sync: one more', async () => {
    const { clock, state, taken, hold } = await opened();
    const release = hold();
    const first = idsFrom(0, 500).map((id) => state.remember('s', [id], DAY_MS, clock));
    await vi.waitFor(() => expect(taken()).toBe(1));
    const later = [
      ...idsFrom(500, 500).map((id) => state.remember('s', [id], DAY_MS, clock)),
      state.count('s', ['failed'], 1, DAY_MS, clock),
      state.reserve('q', poll, clock),
    ];
    release();
    await Promise.all([...first, ...later]);
    expect(taken()).toBe(1);
  });

  it('of a recall that counts nothing: none, also if it renews marks', async () => {
    const { directory, clock, state, taken } = await opened();
    await state.remember('s', ['a'], DAY_MS, clock);
    taken();
    await clock.advance(DAY_MS / 2);
    await state.recall('s', ['a', 'b'], lifetimes, clock);
    await state.close();
    // Closing syncs what was written.
    expect(taken()).toBe(1);
    await clock.advance(DAY_MS - 1);
    expect(await openState(directory).recall('s', ['a'], lifetimes, clock)).toEqual([2047]);
  });

  it.each<[string, (state: ReturnType<typeof openState>, clock: ManualClock) => unknown]>([
    ['remember', (state, clock) => state.remember('s', ['a'], DAY_MS, clock)],
    ['count', (state, clock) => state.count('s', ['a'], 1, DAY_MS, clock)],
    [
      'recall with count',
      (state, clock) => state.recall('s', ['a'], { ...lifetimes, count: { ids: ['a'], below: 1 } }, clock),
    ],
    ['reserve', (state, clock) => state.reserve('q', poll, clock)],
    ['lease', (state, clock) => state.lease('q', poll.lease, clock)],
    ['shut', (state, clock) => state.shut('q', 1000, clock)],
  ])('end before %s resolves', async (_name, call) => {
    const { clock, state, taken, hold } = await opened();
    const release = hold();
    let isDone = false;
    const done = Promise.resolve(call(state, clock)).then(() => {
      isDone = true;
    });
    await vi.waitFor(() => expect(taken()).toBe(1));
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    expect(isDone).toBe(false);
    release();
    await done;
  });

  it('of calls that wait for different promises of one turn: one', async () => {
    const { clock, state, taken } = await opened();
    const first = state.remember('s', ['a'], DAY_MS, clock);
    for (let promise = 0; promise < 10; promise += 1) await null;
    await Promise.all([first, state.remember('s', ['b'], DAY_MS, clock)]);
    expect(taken()).toBe(1);
  });

  it('do not wait for the fake timers of a test runner', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const state = openState(temporaryDirectory());
    expect(await state.remember('s', ['a'], DAY_MS, new ManualClock())).toBeUndefined();
  }, 5000);

  it('are not needed for a settled slot: a killed process has written it', async () => {
    const { directory, clock, state } = await opened();
    const slot = idOf(await state.reserve('q', { limit: 1, holdMs: 95_000 }, clock));
    const before = readFileSync(join(directory, 'journal'), 'utf8');
    await state.settle('q', slot, 10_000, clock);
    await vi.waitFor(() => expect(readFileSync(join(directory, 'journal'), 'utf8')).not.toBe(before));
    // A kill leaves the disk as it is at that moment.
    const left = join(temporaryDirectory(), 'left');
    cpSync(directory, left, { recursive: true, filter: (path) => !path.endsWith('.lock') });
    expect(await openState(left).reserve('q', { limit: 1, holdMs: 95_000 }, clock)).toEqual({
      granted: false,
      waitMs: 10_000,
      reason: 'quota',
    });
  });
});
