import { type EventPoller, HubFleet, memoryState } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { fleetStage, stores } from '../fleet/support.js';
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
  return { clock, mock, first, runs, standby, newFleet };
}

describe('a close after a listener has called stop', () => {
  it.each(['client', 'poller', 'fleet'] as const)(
    'of a %s waits for that listener, and no other process runs its event meanwhile',
    async (kind) => {
      const { clock, mock, first, runs, standby, newFleet } = twoProcesses();
      const door = kind === 'fleet' ? newFleet() : first.poller();
      door.on('CREATED', async () => {
        runs.push('first');
        void door.stop();
        await clock.sleep(20_000);
        runs.push('first ended');
      });
      mock.createOrder();
      void door.start();
      while (runs.length === 0) await clock.advance('1s');
      void standby.start();
      await clock.advance('1s');
      const closed = (kind === 'client' ? first : door).close({ timeoutMs: 60_000 }).then(() => {
        runs.push('closed');
      });
      await clock.advance('2m');
      await closed;
      expect(runs).toEqual(['first', 'first ended', 'closed']);
      expect(mock.pending()).toEqual([]);
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
    const { clock, mock, first, runs, standby, newFleet } = twoProcesses();
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
  },
);

describe('listeners that wait for a stop', () => {
  it.each(['stop', 'close'] as const)(
    'of a fleet do not wait for themselves: %s, which the program calls too',
    async (how) => {
      const { clock, mock, fleet } = fleetStage(stores(1), {});
      const log: string[] = [];
      fleet.on('CREATED', async (_event, { signal }) => {
        log.push('begun');
        await clock.sleep(5000);
        await fleet[how]();
        log.push(`ended, ${signal.aborted ? 'aborted' : 'in time'}`);
      });
      mock.createOrder({ clientId: '1000' });
      void fleet.start();
      await clock.advance('31s');
      void fleet[how]().then(() => log.push('program'));
      await clock.advance('6s');
      expect(log).toEqual(['begun', 'ended, in time', 'program']);
      expect(mock.pending()).toEqual([]);
    },
  );

  it('of two stores of a fleet do not wait for each other, and the program waits for both', async () => {
    const { clock, mock, fleet } = fleetStage(stores(2), {});
    const log: string[] = [];
    fleet.on('CREATED', async (_event, { signal }) => {
      log.push('begun');
      while (log.length < 2) await clock.sleep(1000);
      await fleet.stop();
      await clock.sleep(10_000);
      log.push(signal.aborted ? 'aborted' : 'ended');
    });
    for (const { clientId } of stores(2)) mock.createOrder({ clientId });
    void fleet.start();
    await clock.advance('31s');
    void fleet.close().then(() => log.push('program'));
    await clock.advance('30s');
    expect(log).toEqual(['begun', 'begun', 'ended', 'ended', 'program']);
    expect(mock.pending()).toEqual([]);
  });

  it('keep the lease until they end, also if they close the client', async () => {
    const { clock, mock, first, runs, standby } = twoProcesses();
    const poller = first.poller();
    poller.on('CREATED', async () => {
      await poller.stop();
      await first.close();
      runs.push('closed');
      await clock.sleep(120_000);
      runs.push('ended');
    });
    mock.createOrder();
    void poller.start();
    await clock.advance('1s');
    void standby.start();
    await clock.advance('4m');
    expect(runs).toEqual(['closed', 'ended']);
  });

  it('keep the lease, also if another poller of the client is closed', async () => {
    const { clock, mock, first, runs, standby } = twoProcesses();
    const poller = first.poller();
    poller.on('CREATED', async () => {
      void poller.stop();
      await clock.sleep(200_000);
      runs.push('ended');
    });
    const other = first.poller().on('CREATED', () => {});
    mock.createOrder();
    void poller.start();
    await clock.advance('1s');
    void other.start();
    await clock.advance('10s');
    void other.close();
    await clock.advance('1s');
    void standby.start();
    await clock.advance('2m');
    expect(runs).toEqual([]);
    await clock.advance('3m');
    expect(runs[0]).toBe('ended');
  });

  it('are not disturbed by an earlier stop that waits', async () => {
    const { clock, mock, first } = twoProcesses();
    const poller = first.poller({ listenerTimeoutMs: 600_000 }).on('error', () => {});
    const log: string[] = [];
    let runs = 0;
    poller.on('CREATED', async (_event, { signal }) => {
      runs += 1;
      if (runs === 1) {
        void poller.stop();
        await clock.sleep(100_000);
        return;
      }
      await clock.sleep(1000);
      await poller.stop({ timeoutMs: 300_000 });
      log.push(signal.aborted ? 'aborted' : 'ended');
    });
    mock.createOrder();
    void poller.start();
    await clock.advance('1s');
    const earlier = poller.stop({ timeoutMs: 60_000 });
    await clock.advance('1s');
    mock.createOrder();
    void poller.start();
    await clock.advance('12m');
    await earlier;
    expect(log).toEqual(['ended']);
  });
});

it('close of a fleet releases the lease of a removed store whose listener still runs', async () => {
  const { clock, mock, runs, standby, newFleet } = twoProcesses();
  const fleet = newFleet() as unknown as HubFleet;
  fleet.on('error', () => {});
  fleet.on('CREATED', () => new Promise(() => {}));
  mock.createOrder();
  void fleet.start();
  await clock.advance('31s');
  void fleet.remove('s');
  await clock.advance('31s');
  void fleet.close({ timeoutMs: 5000 });
  await clock.advance('6s');
  void standby.start();
  await clock.advance('1m');
  expect(runs).toEqual(['second']);
});
