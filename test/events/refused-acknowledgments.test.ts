import fc from 'fast-check';
import { createMockHub, ManualClock, type MockHubOptions } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { runs } from '../runs.js';
import { afterAdvance, clientOf, type Stage, stage } from '../support.js';

const emitMany = (mock: Stage['mock'], count: number) =>
  Array.from({ length: count }, () => mock.emit('CREATED'));

const acknowledgedIds = (mock: Stage['mock']) => mock.acknowledged().map(({ eventId }) => eventId);

/** A hub without MSW, because hours pass; its acknowledgments are counted. */
function longStage(options: MockHubOptions = {}) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, ...options });
  let acknowledgments = 0;
  const fetch: typeof globalThis.fetch = (input, init) => {
    if (String(input instanceof Request ? input.url : input).endsWith('/acknowledgment'))
      acknowledgments += 1;
    return mock.fetch(input, init);
  };
  return { clock, mock, ...clientOf(mock, { clock, fetch }), sent: () => acknowledgments };
}

/** A poller that handles everything. */
function startPoller(hub: Stage['hub']): void {
  void hub
    .poller()
    .on('CREATED', () => {})
    .on('error', () => {})
    .start();
}

describe('refused ids', () => {
  it('beside one good event: one call confirms it', async () => {
    const { clock, mock, hub } = stage();
    const events = emitMany(mock, 7);
    for (const { eventId } of events.slice(0, 6)) mock.refuseAcknowledgment(eventId);
    const call = hub.events.acknowledge(events);
    await clock.advance('1m');
    expect((await call).acknowledged).toEqual([events[6]?.eventId]);
  });

  it('do not delay a later event, nor one that comes together with another refused one', async () => {
    const { clock, mock, hub } = longStage();
    for (const { eventId } of emitMany(mock, 30)) mock.refuseAcknowledgment(eventId);
    startPoller(hub);
    await clock.advance('10m');
    const { eventId } = mock.emit('CREATED');
    await clock.advance('35s');
    expect(acknowledgedIds(mock)).toContain(eventId);
    await clock.advance('4h');
    const together = emitMany(mock, 10).map((event) => event.eventId);
    mock.refuseAcknowledgment(together[0] as string);
    await clock.advance('3m');
    expect(acknowledgedIds(mock)).toEqual([eventId, ...together.slice(1)]);
  });

  it('that a slow hub refuses are known to the next call, although the first one ran out of time', async () => {
    const { clock, mock, hub } = longStage({ latencyMs: 8000 });
    const events = emitMany(mock, 100);
    for (const { eventId } of events.slice(0, 5)) mock.refuseAcknowledgment(eventId);
    startPoller(hub);
    await clock.advance('15m');
    expect(mock.acknowledged()).toHaveLength(95);
    await afterAdvance(clock, '1m', hub.close());
  });

  it('anywhere delay the others by a quarter of an hour at most, and all refused cost few requests', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 100 }),
        fc.array(fc.nat(99), { maxLength: 12 }),
        fc.constantFrom('some', 'most', 'all'),
        async (count, places, kind) => {
          const { clock, mock, hub, sent } = longStage();
          const ids = emitMany(mock, count).map(({ eventId }) => eventId);
          const isBad = (at: number) => kind === 'all' || places.includes(at) === (kind === 'some');
          const bad = ids.filter((_, at) => isBad(at));
          for (const eventId of bad) mock.refuseAcknowledgment(eventId);
          startPoller(hub);
          await clock.advance('15m');
          expect(mock.acknowledged()).toHaveLength(count - bad.length);
          if (bad.length < count) return;
          await clock.advance('45m');
          expect(sent()).toBeLessThan(150);
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

describe('a hub that refuses everything', () => {
  it.each([100, 1000])(
    'gets less than 200 requests in an hour for %i events, and few in later hours',
    async (count) => {
      const { clock, mock, hub, sent } = longStage();
      mock.faults.next('acknowledgment', 400, 10_000);
      emitMany(mock, count);
      startPoller(hub);
      await clock.advance('1h');
      const inFirstHour = sent();
      expect(inFirstHour).toBeLessThan(200);
      await clock.advance('3h');
      expect(sent() - inFirstHour).toBeLessThan(100);
      mock.faults.clear();
      await clock.advance('4h');
      expect(mock.pending()).toEqual([]);
    },
  );
});
