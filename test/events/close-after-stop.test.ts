import { type EventPoller, HubFleet, memoryState } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { clientOf } from '../support.js';

/** Two processes with one state; the second is on standby. */
function twoProcesses() {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const state = memoryState();
  const first = clientOf(mock, { clock, state }).hub;
  const second = clientOf(mock, { clock, state }).hub;
  const runs: string[] = [];
  const standby = second.poller();
  standby.on('CREATED', () => void runs.push('second'));
  const common = { baseUrl: mock.baseUrl, fetch: mock.fetch, clock, state, logger: false } as const;
  const newFleet = () =>
    new HubFleet({ ...common, stores: [{ storeId: 's', ...mock.credentials }] }) as unknown as EventPoller;
  return { clock, mock, first, second, runs, standby, newFleet };
}

describe('a close after a listener has called stop', () => {
  it.each(['client', 'poller', 'fleet'] as const)(
    'of a %s waits for that listener, and no other process runs its event meanwhile',
    async (kind) => {
      const { clock, mock, first, second, runs, standby, newFleet } = twoProcesses();
      const door = kind === 'fleet' ? newFleet() : first.poller();
      door.on('CREATED', async () => {
        runs.push('first');
        void door.stop();
        await clock.sleep(20_000);
        runs.push('first ended');
      });
      mock.createOrder();
      void door.start();
      await clock.advance('31s');
      void standby.start();
      await clock.advance('1s');
      const closed = (kind === 'client' ? first : door).close({ timeoutMs: 60_000 }).then(() => {
        runs.push('closed');
      });
      await clock.advance('2m');
      await closed;
      expect(runs).toEqual(['first', 'first ended', 'closed']);
      expect(mock.pending()).toEqual([]);
      const ended = second.close();
      await clock.advance('1m');
      await ended;
    },
  );

  it('aborts its signal when the time is over, and says so', async () => {
    const { clock, mock, first } = twoProcesses();
    let signal: AbortSignal | undefined;
    const poller = first.poller();
    poller.on('CREATED', (_event, context) => {
      signal = context.signal;
      void poller.stop();
      return new Promise(() => {});
    });
    mock.createOrder();
    void poller.start();
    await clock.advance('1s');
    const closed = poller.close({ timeoutMs: 5000 });
    await clock.advance('4s');
    expect(signal?.aborted).toBe(false);
    await clock.advance('2s');
    expect(await closed).toMatchObject({ timedOut: true });
    expect(signal?.aborted).toBe(true);
  });

  it.each(['stop', 'close'] as const)('does not wait for the listener that calls %s itself', async (how) => {
    const { clock, mock, first } = twoProcesses();
    const poller = first.poller();
    const ended: string[] = [];
    poller.on('CREATED', async () => {
      await poller.stop();
      await poller[how]();
      ended.push('listener');
    });
    mock.createOrder();
    void poller.start();
    await clock.advance('2s');
    expect(ended).toEqual(['listener']);
    expect(mock.pending()).toEqual([]);
    expect(clock.sleepers).toBe(0);
  });
});

it.each(['client', 'poller', 'fleet'] as const)(
  'close of a %s releases the lease when its time is over, also if a listener still runs',
  async (kind) => {
    const { clock, mock, first, second, runs, standby, newFleet } = twoProcesses();
    const door = kind === 'fleet' ? newFleet() : first.poller();
    door.on('error', () => {});
    door.on('CREATED', () => new Promise(() => {}));
    mock.createOrder();
    void door.start();
    await clock.advance('31s');
    void standby.start();
    const closed = (kind === 'client' ? first : door).close({ timeoutMs: 5000 });
    await clock.advance('4s');
    expect(runs).toEqual([]);
    await clock.advance('31s');
    await closed;
    expect(runs).toEqual(['second']);
    const ended = second.close();
    await clock.advance('1m');
    await ended;
  },
);
