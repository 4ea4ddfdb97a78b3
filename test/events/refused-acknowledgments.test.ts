/** @module-tag slow */
import fc from 'fast-check';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { runs } from '../runs.js';
import { afterAdvance, clientOf, requestsTo, type Stage, stage } from '../support.js';

const emitMany = (mock: Stage['mock'], count: number) =>
  Array.from({ length: count }, () => mock.emit('CREATED'));

const acknowledgedIds = (mock: Stage['mock']) => mock.acknowledged().map(({ eventId }) => eventId);

/** A stage on which hours pass: its acknowledgments are counted, also those that the journal has forgotten. */
function longStage() {
  let acknowledgments = 0;
  const all = stage({
    onRequest: ({ endpoint }) => void (acknowledgments += Number(endpoint === 'acknowledgment')),
  });
  return { ...all, sent: () => acknowledgments };
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
    await clock.advance('1h');
    const together = emitMany(mock, 10).map((event) => event.eventId);
    mock.refuseAcknowledgment(together[0] as string);
    await clock.advance('3m');
    expect(acknowledgedIds(mock)).toEqual([eventId, ...together.slice(1)]);
  });

  it('are remembered although the call that found them was aborted', async () => {
    const { clock, mock, hub } = stage({ latencyMs: 1000 });
    const events = emitMany(mock, 100);
    const [first] = events;
    mock.refuseAcknowledgment(first?.eventId as string);
    const controller = new AbortController();
    const aborted = hub.events.acknowledge(events, { signal: controller.signal });
    const failed = expect(aborted).rejects.toThrow('enough');
    // The token, and the halves down to the first event.
    await clock.advance('9500ms');
    controller.abort(new Error('enough'));
    await failed;
    const before = requestsTo(mock, 'acknowledgment').length;
    const { acknowledged } = await afterAdvance(clock, '1m', hub.events.acknowledge(events));
    expect(acknowledged).toHaveLength(99);
    const later = requestsTo(mock, 'acknowledgment').slice(before);
    expect(later.filter(({ body }) => body.includes(first?.eventId as string))).toEqual([]);
  });

  it('that are due again do not delay what a bisection has left', async () => {
    const { clock, mock, hub, sent } = longStage();
    const isBad = (at: number) => at % 100 < 60;
    const count = runs(1000, 5);
    for (const [at, { eventId }] of emitMany(mock, count).entries())
      if (isBad(at)) mock.refuseAcknowledgment(eventId);
    startPoller(hub);
    await clock.advance('20m');
    expect(mock.acknowledged()).toHaveLength(count * 0.4);
    // Two for each bad one, and the quota of a minute is 100.
    expect(sent()).toBeLessThan(count * 1.3);
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

/** A stage whose hub answers acknowledgments as `statusOf` says for the ids in the request, if that is not 202. */
function illStage(statusOf: (ids: readonly string[]) => number) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  let sent = 0;
  const fetch = async (...given: Parameters<typeof globalThis.fetch>) => {
    const request = new Request(...given);
    if (!request.url.endsWith('/acknowledgment')) return mock.fetch(request);
    sent += 1;
    const items = (await request.clone().json()) as Array<{ id: string }>;
    const status = statusOf(items.map(({ id }) => id));
    return status === 202 ? mock.fetch(request) : new Response('{}', { status });
  };
  return { clock, mock, sent: () => sent, ...clientOf(mock, { clock, fetch }) };
}

describe('a hub that fails with 500', () => {
  it('at one event: the others are confirmed at the third poll, and it delays no later ones', async () => {
    let bad = '';
    const { clock, mock, hub } = illStage((ids) => (ids.includes(bad) ? 500 : 202));
    const events = emitMany(mock, 100).map(({ eventId }) => eventId);
    bad = events[37] as string;
    startPoller(hub);
    await clock.advance('55s');
    expect(acknowledgedIds(mock)).toEqual([]);
    await clock.advance('30s');
    expect(new Set(acknowledgedIds(mock))).toEqual(new Set(events.filter((eventId) => eventId !== bad)));
    const { eventId } = mock.emit('CREATED');
    await clock.advance('35s');
    expect(acknowledgedIds(mock)).toContain(eventId);
  });

  it.each([
    ['with the first new event', true],
    ['within eleven minutes', false],
  ])('at all of them for an hour: few requests, and all are confirmed %s', async (_, hasNext) => {
    let isIll = true;
    const { clock, mock, hub, sent } = illStage(() => (isIll ? 500 : 202));
    emitMany(mock, 100);
    startPoller(hub);
    await clock.advance('1h');
    expect(sent()).toBeLessThan(300);
    isIll = false;
    if (hasNext) mock.emit('CREATED');
    await clock.advance(hasNext ? '90s' : '11m');
    expect(mock.pending()).toEqual([]);
  });

  it.each([
    [0, 1],
    [1, 0],
    [20, 10],
    [10, 20],
  ])('at event %i and refuses %i with 400: the others are confirmed', async (failing, refused) => {
    let ids: string[] = [];
    const { clock, mock, hub } = illStage((sent) => {
      if (sent.includes(ids[refused] as string)) return 400;
      return sent.includes(ids[failing] as string) ? 500 : 202;
    });
    ids = emitMany(mock, 30).map(({ eventId }) => eventId);
    startPoller(hub);
    await clock.advance('5m');
    expect(mock.pending()).toHaveLength(2);
  });

  it('at each event of a type of its own gets few requests for them, while it confirms others', async () => {
    const bad = new Set<string>();
    const { clock, mock, hub, sent } = illStage((ids) => (ids.some((id) => bad.has(id)) ? 500 : 202));
    for (let count = 0; count < 40; count += 1) bad.add(mock.emit('OF_THE_HUB').eventId);
    startPoller(hub);
    for (let minute = 0; minute < 60; minute += 1) {
      mock.emit('CREATED');
      await clock.advance('1m');
    }
    expect(sent()).toBeLessThan(300);
  });
});

describe('a hub that refuses everything', () => {
  it('gets less than 200 requests in an hour for 1000 events, and few in later hours', async () => {
    const { clock, mock, hub, sent } = longStage();
    mock.faults.next('acknowledgment', 400, 10_000);
    emitMany(mock, runs(1000, 20));
    startPoller(hub);
    await clock.advance('1h');
    const inFirstHour = sent();
    expect(inFirstHour).toBeLessThan(200);
    await clock.advance('3h');
    expect(sent() - inFirstHour).toBeLessThan(100);
    mock.faults.clear();
    await clock.advance('2h');
    expect(mock.pending()).toEqual([]);
  });
});
