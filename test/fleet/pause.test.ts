import { ConfigurationError, type FleetStore } from 'opendelivery-client';
import type { FaultLike } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { afterAdvance, gate, watched } from '../support.js';
import { caught, type FleetStage, fleetStage, polling, stores } from './support.js';

const ALL = stores(3);
const [FIRST, SECOND, THIRD] = ALL as [FleetStore, FleetStore, FleetStore];

/** A fleet that has polled each of its stores once. */
const started = (all: readonly FleetStore[] = ALL) => polling(fleetStage(all));

const counts = ({ pollsOf }: FleetStage) => ALL.map((store) => pollsOf(store).length);

describe('fleet.pause and fleet.resume', () => {
  it('of one store send no poll of that store, and of the others as usual', async () => {
    const stage = await started();
    const { clock, fleet, mock } = stage;
    const before = counts(stage);
    fleet.pause('store-1');
    fleet.pause('store-1');
    mock.createOrder({ clientId: SECOND.clientId });
    await clock.advance('2m');
    expect(counts(stage)).toEqual(before.map((count, index) => (index === 1 ? count : count + 4)));
    expect(fleet.health('store-1')).toMatchObject({ status: 'paused', nextPollAt: undefined, overdueMs: 0 });
    expect(fleet.health('store-0').status).toBe('running');
    fleet.resume('store-1');
    fleet.resume('store-1');
    await clock.advance('1s');
    expect(mock.pending(SECOND.clientId)).toEqual([]);
    await clock.advance('2m');
    expect(mock.violations()).toEqual([]);
    expect(stage.pollsOf(SECOND).length).toBeGreaterThanOrEqual((before[1] as number) + 4);
  });

  it('of all stores include those that come meanwhile', async () => {
    const stage = await started([FIRST, SECOND]);
    const { clock, mock, fleet } = stage;
    mock.addStore({ clientId: THIRD.clientId, clientSecret: THIRD.clientSecret as string, apiKey: 'a-key' });
    fleet.pause();
    await fleet.add(THIRD);
    const before = counts(stage);
    await clock.advance('3m');
    expect(counts(stage)).toEqual(before);
    expect(before[2]).toBe(0);
    expect(fleet.health('store-0').status).toBe('paused');
    expect(fleet.health()).toMatchObject({ stores: 3, overdue: 0, backingOff: 0 });
    fleet.resume();
    await clock.advance('31s');
    expect(stage.pollsOf(THIRD).length).toBeGreaterThan(0);
    expect(fleet.health('store-2').status).toBe('running');
    await afterAdvance(clock, '1s', fleet.remove('store-2'));
    await fleet.add({ ...THIRD, storeId: 'comes later' });
    await clock.advance('91s');
    expect(fleet.health('comes later').lastPolledAt).toBeDefined();
    expect(mock.violations()).toEqual([]);
  });

  it.each([['store-2'], [undefined]])(
    'before the first poll of %s: start does not wait for it',
    async (storeId) => {
      const { clock, fleet } = fleetStage(ALL);
      const starting = watched(fleet.on('CREATED', () => {}).start());
      await clock.advance(0);
      fleet.pause(storeId);
      await clock.advance('31s');
      expect(starting.done).toBe(true);
    },
  );

  it('before the first poll of a second start: health does not take the polls of the first one for good ones', async () => {
    const { clock, fleet } = await started();
    await afterAdvance(clock, '1s', fleet.stop());
    void fleet.start();
    fleet.pause('store-0');
    expect(fleet.health().status).toBe('starting');
  });

  it('of one store among the paused ones: only that one is polled again', async () => {
    const stage = await started();
    const { clock, fleet } = stage;
    fleet.pause();
    fleet.resume('store-0');
    const before = counts(stage);
    await clock.advance('61s');
    const after = counts(stage);
    expect(after[0]).toBeGreaterThan(before[0] as number);
    expect(after.slice(1)).toEqual(before.slice(1));
  });

  it('of one store last when its credentials change, and end when it is removed', async () => {
    let listed: readonly FleetStore[] = [FIRST, SECOND];
    const stage = await polling(fleetStage(ALL, { stores: () => listed }));
    const { clock, mock, fleet } = stage;
    const before = counts(stage)[0] as number;
    fleet.pause('store-0');
    listed = [{ ...FIRST, apiKey: 'another key' }, SECOND];
    await clock.advance('3m');
    expect(counts(stage)[0]).toBe(before);
    fleet.pause();
    fleet.resume('store-1');
    listed = [FIRST, { ...SECOND, clientId: THIRD.clientId, clientSecret: THIRD.clientSecret }];
    await clock.advance('3m');
    expect(stage.pollsOf(THIRD)).not.toHaveLength(0);
    fleet.resume();
    fleet.pause('store-0');
    await afterAdvance(clock, '1s', fleet.remove('store-0'));
    await fleet.add(FIRST);
    await clock.advance('91s');
    expect(counts(stage)[0]).toBeGreaterThan(before);
    expect(mock.violations()).toEqual([]);
  });

  it('of one store last when a queue takes its shard away and assigns it again', async () => {
    const stage = fleetStage(ALL);
    const { clock, fleet } = stage;
    const { assign, unassign } = fleet.on('event', () => {}).startShards(1);
    assign(0, () => true);
    await clock.advance('31s');
    fleet.pause('store-0');
    const before = counts(stage);
    await afterAdvance(clock, '1s', unassign(0, 0));
    assign(0, () => true);
    await clock.advance('2m');
    expect(counts(stage)[0]).toBe(before[0]);
    expect(counts(stage)[1]).toBeGreaterThan(before[1] as number);
  });

  it('let events that were received be handled and acknowledged', async () => {
    const { clock, mock, fleet } = await started();
    const listener = gate();
    fleet.on('CONFIRMED', () => listener.promise);
    mock.emit('CONFIRMED', { clientId: FIRST.clientId });
    await clock.advance('31s');
    expect(fleet.health('store-0').running).toBe(1);
    fleet.pause('store-0');
    listener.open();
    await clock.advance('2s');
    expect(mock.pending(FIRST.clientId)).toEqual([]);
  });

  it('are over after a stop: a fleet that starts again polls all its stores', async () => {
    const stage = await started();
    const { clock, fleet } = stage;
    fleet.pause();
    fleet.pause('store-1');
    await afterAdvance(clock, '1s', fleet.stop());
    const before = counts(stage);
    void caught(fleet.start());
    await clock.advance('91s');
    for (const [index, count] of counts(stage).entries())
      expect(count).toBeGreaterThan(before[index] as number);
  });

  it.each(['pause', 'resume', 'poll'] as const)(
    '%s of an unknown store is a ConfigurationError',
    async (name) => {
      const { fleet } = await started();
      const call = () => fleet[name]('store-9');
      expect(call).toThrow(ConfigurationError);
      expect(call).toThrow(/'store-9' is not a store of this fleet/);
    },
  );
});

describe('fleet.poll', () => {
  it('sends the poll of one store at once, if its quota allows', async () => {
    const stage = await started();
    const { clock, mock, fleet } = stage;
    const before = counts(stage);
    const [last] = stage.pollsOf(FIRST).slice(-1);
    // Neither its own next poll nor its first slot is due within a second.
    await clock.advance(Math.max(0, (last as number) + 10_000 - clock.monotonic()));
    const now = counts(stage);
    fleet.poll('store-0');
    await clock.advance('1s');
    expect(counts(stage)).toEqual([(now[0] as number) + 1, ...now.slice(1)]);
    expect(now[0]).toBe(before[0]);
    fleet.poll('store-0');
    await clock.advance('1s');
    expect(stage.pollsOf(FIRST)).toHaveLength((now[0] as number) + 1);
    await clock.advance('5m');
    expect(mock.violations()).toEqual([]);
  });

  it('sends the one that the quota held back as soon as it is free, and does not wait for the phase', async () => {
    const stage = await started();
    const { clock, fleet, pollsOf } = stage;
    await clock.advance('2m');
    const polls = pollsOf(SECOND);
    const [beforeLast] = polls.slice(-2);
    fleet.poll('store-1');
    await clock.advance('30s');
    // A slot is free 60 s after the response of its poll.
    expect(pollsOf(SECOND)[polls.length]).toBeLessThanOrEqual((beforeLast as number) + 60_100);
  });

  it.each<[what: string, fault: FaultLike, answeredAfter: string]>([
    ['is slow', { type: 'latency', ms: 5000 }, '5s'],
    ['fails', 'hang', '35s'],
  ])('during a poll that %s sends another one after it', async (_what, fault, answeredAfter) => {
    const stage = await polling(fleetStage([FIRST], { poller: { intervalMs: 600_000 } }), '10m');
    const { clock, fleet, mock, pollsOf } = stage;
    fleet.on('error', () => {});
    const [polledAt] = pollsOf(FIRST) as [number];
    await clock.advance(Math.max(0, polledAt + 70_000 - clock.monotonic()));
    const before = pollsOf(FIRST).length;
    mock.faults.next('polling', fault);
    fleet.poll('store-0');
    await clock.advance('1s');
    expect(pollsOf(FIRST)).toHaveLength(before + 1);
    fleet.poll('store-0');
    await clock.advance(answeredAfter);
    expect(pollsOf(FIRST)).toHaveLength(before + 2);
    await clock.advance('2m');
    expect(pollsOf(FIRST)).toHaveLength(before + 2);
    expect(mock.violations()).toEqual([]);
  });

  it('of a paused store waits for resume', async () => {
    const stage = await started();
    const { clock, fleet, pollsOf } = stage;
    await clock.advance('1m');
    fleet.pause('store-0');
    await clock.advance('1m');
    const before = pollsOf(FIRST).length;
    fleet.poll('store-0');
    await clock.advance('1s');
    expect(pollsOf(FIRST)).toHaveLength(before);
    fleet.resume('store-0');
    await clock.advance('1s');
    expect(pollsOf(FIRST)).toHaveLength(before + 1);
  });

  it('of a fleet that does not run sends nothing', async () => {
    const { clock, fleet, mock } = fleetStage(ALL);
    fleet.on('CREATED', () => {});
    fleet.poll('store-0');
    await clock.advance('1m');
    expect(mock.requests).toEqual([]);
  });
});

describe('fleet.start', () => {
  it('beside a runOnce of one store polls that store when it is over', async () => {
    const { clock, mock, fleet, pollsOf } = fleetStage(ALL);
    const listener = gate();
    fleet.on('CREATED', () => listener.promise);
    mock.createOrder({ clientId: FIRST.clientId });
    const once = fleet.runOnce('store-0');
    await clock.advance('1s');
    const begun = watched(fleet.start());
    await clock.advance('45s');
    expect([begun.done, pollsOf(FIRST).length]).toEqual([false, 1]);
    listener.open();
    await clock.advance('31s');
    expect(await once).toMatchObject({ handled: 1, acknowledged: 1 });
    expect(begun.done).toBe(true);
    await clock.advance('2m');
    expect(pollsOf(FIRST).length).toBeGreaterThanOrEqual(5);
    expect(mock.violations()).toEqual([]);
  });
});
