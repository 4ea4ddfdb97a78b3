import { createMockHub, ManualClock, type Recording } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { clientOf } from '../support.js';

const at = '2026-01-05T18:00:00Z';
const event = (eventId: string, eventType: string, orderId = 'o-1') => ({
  eventId,
  eventType,
  orderId,
  createdAt: at,
});
const command = { orderId: 'o-1', command: 'confirm', state: 'CREATED', status: 202 };

/** An evening with one order: its hub cancels it after ten minutes, unless something else is given. */
const RECORDING: Recording = {
  format: 'opendelivery-recording',
  version: 1,
  startedAt: at,
  durationMs: 3_600_000,
  merchants: [
    { atMs: 0, document: { id: 'm-1', lastUpdate: at, status: 'AVAILABLE' } },
    { atMs: 120_000, document: { id: 'm-1', lastUpdate: at, status: 'UNAVAILABLE' } },
  ],
  orders: [
    {
      orderId: 'o-1',
      documents: [
        { atMs: 0, document: { id: 'o-1', type: 'DELIVERY', lastEvent: 'CREATED' } },
        { atMs: 300_000, document: { id: 'o-1', type: 'DELIVERY', lastEvent: 'CREATED', extraInfo: 'late' } },
      ],
    },
    { orderId: 'o-2', documents: [] },
  ],
  events: [
    { atMs: 60_000, event: event('e-1', 'CREATED') },
    { atMs: 90_000, event: event('e-2', 'CREATED', 'o-2') },
    { atMs: 600_000, event: event('e-9', 'CANCELLED') },
  ],
  commands: [{ ...command, events: [{ atMs: 0, event: event('e-3', 'CONFIRMED') }] }],
};

function replayed(changes: Partial<Recording> = {}) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, replay: { ...RECORDING, ...changes } });
  const { hub } = clientOf(mock, { fetch: mock.fetch, clock });
  return { clock, mock, hub, types: () => mock.emitted().map(({ eventId }) => eventId) };
}

it('pushes events at their offsets, also if nobody asks for them', async () => {
  const { clock, mock } = replayed();
  const pushed: unknown[] = [];
  const pushing = mock.push(async (request) => {
    const { eventId } = (await request.json()) as { eventId: string };
    pushed.push([eventId, clock.monotonic()]);
    return new Response(null, { status: 202 });
  });
  await clock.advance('5m');
  expect(pushed).toEqual([
    ['e-1', 60_000],
    ['e-2', 90_000],
  ]);
  pushing.stop();
});

it('shows events and menus at their offsets', async () => {
  const { clock, mock, types } = replayed();
  expect([types(), mock.merchant().status]).toEqual([[], 'AVAILABLE']);
  await clock.advance('1m');
  expect(types()).toEqual(['e-1']);
  await clock.advance('1m');
  expect([types(), mock.merchant().status]).toEqual([['e-1', 'e-2'], 'UNAVAILABLE']);
});

it('has the effect of a command only after that command', async () => {
  const { clock, hub, mock, types } = replayed();
  await clock.advance('5m');
  expect(types()).toEqual(['e-1', 'e-2']);
  await hub.orders.confirm('o-1');
  expect(types()).toEqual(['e-1', 'e-2', 'e-3']);
  const { events } = await hub.events.poll();
  await hub.events.acknowledge(events);
  expect(mock.pending()).toEqual([]);
  const { order } = await hub.orders.get('o-1');
  expect([order.lastEvent, order.extraInfo]).toEqual(['CONFIRMED', 'late']);
});

it('knows that an order is confirmed whose hub has sent no event for it', async () => {
  const { clock, hub, mock } = replayed({
    events: RECORDING.events.slice(0, 1),
    commands: [{ ...command, events: [] }],
  });
  await clock.advance('2m');
  await hub.orders.confirm('o-1');
  await clock.advance('12m');
  expect(mock.violations().filter(({ rule }) => rule === 'unanswered-order')).toEqual([]);
});

it('answers by the state of the order: a recorded refusal holds only where it was recorded', async () => {
  const refused = { ...command, state: 'CANCELLED', status: 422, events: [] };
  const { clock, hub } = replayed({ commands: [refused] });
  await clock.advance('2m');
  expect(await hub.orders.confirm('o-1')).toBeDefined();
  const late = replayed({ commands: [refused] });
  await late.clock.advance('11m');
  await expect(late.hub.orders.confirm('o-1')).rejects.toMatchObject({ status: 422 });
});

it('accepts a command after as many refusals as in the recording', async () => {
  const accepted = { ...command, events: [{ atMs: 0, event: event('e-3', 'CONFIRMED') }] };
  const { clock, hub, types } = replayed({ commands: [{ ...command, status: 404, events: [] }, accepted] });
  await clock.advance('2m');
  await expect(hub.orders.confirm('o-1')).rejects.toMatchObject({ status: 404 });
  await hub.orders.confirm('o-1');
  expect(types()).toContain('e-3');
});

it('answers a command that was not recorded as the mock hub does', async () => {
  const { clock, hub, mock } = replayed({ commands: [] });
  await clock.advance('2m');
  await hub.orders.confirm('o-1');
  expect(mock.emitted().at(-1)).toMatchObject({ eventType: 'CONFIRMED', orderId: 'o-1' });
});

it('decides on a request to cancel as long after it as in the recording', async () => {
  const events = [
    { atMs: 0, event: event('e-3', 'CANCELLATION_REQUESTED') },
    { atMs: 30_000, event: event('e-4', 'CANCELLATION_REQUEST_DENIED') },
  ];
  const { clock, hub, types } = replayed({
    commands: [{ ...command, command: 'requestCancellation', events }],
  });
  await clock.advance('5m');
  await hub.orders.requestCancellation('o-1', { reason: 'closed', code: 'UNAVAILABLE_ITEM', mode: 'AUTO' });
  expect(types().slice(2)).toEqual(['e-3']);
  await clock.advance('30s');
  expect(types().slice(2)).toEqual(['e-3', 'e-4']);
});

it('says that a document was not recorded', async () => {
  const { clock, hub } = replayed();
  await clock.advance('2m');
  await expect(hub.orders.get('o-2')).rejects.toMatchObject({ status: 404 });
});

it.each(['of all', 'of the store alone'])('begins again after a reset %s', async (which) => {
  const { clock, mock, types } = replayed();
  await clock.advance('2m');
  mock.reset(which === 'of all' ? {} : { clientId: mock.credentials.clientId });
  expect([types(), mock.merchant().status]).toEqual([[], 'AVAILABLE']);
  await clock.advance('1m');
  expect(types()).toEqual(['e-1']);
});

it('refuses what is not a recording', () => {
  const damaged = Array.from({ length: 3 }, () => ({ atMs: 'soon', event: {} }));
  const replay = { ...RECORDING, events: damaged } as unknown as Recording;
  // As many as help.
  expect(() => createMockHub({ replay })).toThrow(
    /: is damaged: events\[0\].atMs: must be a number; it is a string\. .* There are 5 more mistakes\. Record it again$/,
  );
});
