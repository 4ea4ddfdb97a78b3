import { memoryState, type PollerOptions, type State } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { fleetStage, stores } from '../fleet/support.js';
import { afterAdvance, clientOf, gate, requestsTo, stage } from '../support.js';
import { fails, processes, withCalls } from './support.js';

const MINUTE_MS = 60_000;

/** A state that refuses every poll for an hour once `isStuck` is set, as if its clock were wrong. */
function stuckState() {
  const link = { isStuck: false };
  const refused = { granted: false, waitMs: 3_600_000, reason: 'quota' } as const;
  const state = withCalls(memoryState(), {
    slot: (next, key) => (link.isStuck && String(key).endsWith(':polling') ? refused : next()),
  });
  return { link, state };
}

function running(state: State, options: PollerOptions = {}) {
  const { clock, mock, hub } = stage({}, { state });
  const poller = hub.poller(options);
  const errors: unknown[] = [];
  poller.on('error', (error) => void errors.push(error));
  return { clock, mock, poller, errors };
}

describe('a poll that is overdue', () => {
  it('because the state refuses it is reported once, by an error and by health', async () => {
    const { link, state } = stuckState();
    const { clock, mock, poller, errors } = running(state);
    poller.on('CREATED', () => {});
    await poller.start();
    await clock.advance('5m');
    expect(poller.health().overdueMs).toBe(0);
    link.isStuck = true;
    const sentAt = requestsTo(mock, 'polling').at(-1)?.monotonicAt as number;
    await clock.advance(sentAt + 90_000 - clock.monotonic());
    expect(poller.health().overdueMs).toBe(0);
    await clock.advance(1);
    expect(poller.health().overdueMs).toBe(MINUTE_MS + 1);
    await clock.advance('30s');
    expect(errors).toEqual([
      expect.objectContaining({
        name: 'TimeoutError',
        code: 'timeout',
        operation: 'nextPoll',
        timeoutMs: MINUTE_MS,
        retryable: true,
        message: 'new events wait at the hub: the poll that was due was not sent within 60000 ms',
      }),
    ]);
    await clock.advance('20m');
    expect(errors).toHaveLength(1);
    expect(poller.health()).toMatchObject({ status: 'running', consecutiveFailures: 0 });
    await poller.stop();
    expect(poller.health().overdueMs).toBe(0);
    await clock.advance('20m');
    expect(errors).toHaveLength(1);
    expect(clock.sleepers).toBe(0);
  });

  it('because listeners still run is reported, and again in the next episode', async () => {
    const { clock, mock, poller, errors } = running(memoryState(), { listenerTimeoutMs: 10 * MINUTE_MS });
    const gates = [gate(), gate()];
    const open = [...gates];
    poller.on('CREATED', () => open.shift()?.promise);
    await poller.start();
    for (const [index, { open: end }] of gates.entries()) {
      mock.createOrder();
      await clock.advance('4m');
      expect(errors).toHaveLength(index + 1);
      expect(poller.health().overdueMs).toBeGreaterThan(MINUTE_MS);
      end();
      await clock.advance('1m');
      expect(poller.health().overdueMs).toBe(0);
    }
  });

  it('is not reported once the poller is told to stop, however long its listeners still run', async () => {
    const { clock, mock, poller, errors } = running(memoryState(), { listenerTimeoutMs: 20 * MINUTE_MS });
    const { promise, open } = gate();
    poller.on('CREATED', () => promise);
    await poller.start();
    mock.createOrder();
    await clock.advance('31s');
    const stopped = poller.stop({ timeoutMs: 20 * MINUTE_MS });
    await clock.advance('10m');
    expect(errors).toEqual([]);
    expect(poller.health()).toMatchObject({ status: 'stopping', overdueMs: 0, running: 1 });
    open();
    await clock.advance('1s');
    expect(await stopped).toMatchObject({ handled: 1, timedOut: false });
  });

  it('is not one that nobody expects: while paused, and during a backoff or Retry-After', async () => {
    const { clock, mock, poller, errors } = running(memoryState());
    poller.on('CREATED', () => {});
    await poller.start();
    poller.pause();
    await clock.advance('10m');
    expect(poller.health().overdueMs).toBe(0);
    poller.resume();
    expect(poller.health().overdueMs).toBe(0);
    await clock.advance('1m');
    mock.faults.next('polling', { status: 429, headers: { 'retry-after': '600' } });
    await clock.advance('9m');
    expect(poller.health()).toMatchObject({ overdueMs: 0, consecutiveFailures: 1 });
    await clock.advance('5m');
    mock.faults.next('polling', 500, 8);
    await clock.advance('20m');
    expect(poller.health().overdueMs).toBe(0);
    expect(errors.map((error) => (error as Error).name)).not.toContain('TimeoutError');
  });

  it('is not one on standby; after standby it is due at once', async () => {
    const { link, state } = stuckState();
    const { clock, hubs } = processes(2, state);
    const [one, two] = hubs.map((hub) => hub.poller().on('CREATED', () => {}));
    const errors: unknown[] = [];
    two?.on('error', (error) => void errors.push(error));
    await one?.start();
    const started = two?.start();
    await clock.advance('10m');
    expect(two?.health()).toMatchObject({ status: 'standby', overdueMs: 0 });
    link.isStuck = true;
    await one?.stop();
    await clock.advance('1m');
    expect(two?.health()).toMatchObject({ status: 'starting', overdueMs: 0 });
    expect(errors).toEqual([]);
    await clock.advance('2m');
    expect(two?.health().overdueMs).toBeGreaterThan(MINUTE_MS);
    expect(errors).toEqual([expect.objectContaining({ operation: 'nextPoll' })]);
    await two?.stop();
    expect(await started).toBe(undefined);
  });

  it('is not one on standby, also after the state was away for it', async () => {
    const { clock, mock, hubs, state } = processes(1);
    let isAway = false;
    const lease = (next: () => unknown) => (isAway ? fails() : next());
    const { hub } = clientOf(mock, { clock, state: withCalls(state, { lease }) });
    const standby = hub.poller().on('CREATED', () => {});
    const errors: Error[] = [];
    standby.on('error', (error) => void errors.push(error as Error));
    await hubs[0]
      .poller()
      .on('CREATED', () => {})
      .start();
    void standby.start();
    await clock.advance('1m');
    isAway = true;
    await clock.advance('20s');
    isAway = false;
    await clock.advance('10m');
    expect(standby.health()).toMatchObject({ status: 'standby', overdueMs: 0 });
    expect(errors.map(({ name }) => name)).toEqual(['StateError']);
  });

  it('of one store of a fleet is reported for this store, by an error and by health', async () => {
    const { link, state } = stuckState();
    const { clock, fleet } = fleetStage(stores(2), { state });
    const errors: unknown[] = [];
    fleet.on('CREATED', () => {});
    fleet.on('error', (error, { storeId }) => void errors.push([(error as Error).name, storeId]));
    await afterAdvance(clock, '5m', fleet.start());
    expect(fleet.health()).toMatchObject({ stores: 2, overdue: 0 });
    link.isStuck = true;
    await clock.advance('30m');
    expect(errors.sort()).toEqual([
      ['TimeoutError', 'store-0'],
      ['TimeoutError', 'store-1'],
    ]);
    expect(fleet.health()).toMatchObject({ overdue: 2 });
    expect(fleet.health('store-0').overdueMs).toBeGreaterThan(25 * MINUTE_MS);
    link.isStuck = false;
    await clock.advance('2h');
    expect(fleet.health()).toMatchObject({ overdue: 0 });
    expect(errors).toHaveLength(2);
    await fleet.stop();
    expect(fleet.health('store-0').overdueMs).toBe(0);
    expect(clock.sleepers).toBe(0);
  });
});
