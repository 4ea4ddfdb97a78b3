import fc from 'fast-check';
import {
  EVENT_TYPES,
  type HostProfile,
  type NextCommandsOptions,
  nextCommands,
  type Order,
  type OrderProgress,
  orderProgress,
} from 'opendelivery-client';
import { createMockHub, ManualClock, type MockHubOptions } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { plain } from '../fixtures/plain.js';
import { runs } from '../runs.js';

/** As 99Food documents it. */
const STRICT: HostProfile = { commands: { required: ['pickedUp', 'delivered'], refuseOthers: true } };

/** Every kind of order, also those that the standard does not have. */
const KINDS: readonly Record<string, unknown>[] = [
  { type: 'DELIVERY', deliveredBy: 'MERCHANT' },
  { type: 'DELIVERY', deliveredBy: 'MARKETPLACE' },
  { type: 'DELIVERY', delivery: null },
  { type: 'DELIVERY', delivery: { deliveredBy: 'DRONE' } },
  { type: 'TAKEOUT' },
  { type: 'INDOOR' },
  { type: 'DRIVE_IN' },
  { type: null },
];

/** One order at a mock hub. Every event has its own time. */
async function orderAtHub(order: Record<string, unknown>, options: MockHubOptions) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, unansweredAfterMs: Number.POSITIVE_INFINITY, ...options });
  const api = plain(mock);
  const token = await api.token();
  const { orderId } = mock.createOrder(order);
  return {
    mock,
    order: (await (await api.order(token, orderId)).json()) as Order,
    events: () => mock.emitted().filter((event) => event.orderId === orderId),
    emit: async (eventType: string) => {
      await clock.advance('1m');
      mock.emit(eventType, { orderId });
    },
    send: async (command: string) => {
      await clock.advance('1m');
      return (await api.command(token, orderId, command)).status;
    },
  };
}

type AtHub = Awaited<ReturnType<typeof orderAtHub>>;

/** The progress after all events, which arrive in any order and some of them twice. */
function progressIn({ events }: AtHub, seed: number): OrderProgress {
  const all = events();
  const arrivals = [...all, ...all.filter((_, index) => (seed >> (index % 20)) & 1)]
    .map((event, index) => ({ event, key: ((index + 1) * (seed + 7919)) % 10_007 }))
    .sort((one, other) => one.key - other.key);
  return arrivals.reduce<OrderProgress | undefined>(
    (progress, { event }) => orderProgress(progress, event),
    undefined,
  ) as OrderProgress;
}

const flag = fc.constantFrom(undefined, true, false);
const emitted = fc.constantFrom(
  ...EVENT_TYPES,
  'CANCELLATION_DENIED',
  'ORDER_CANCELLATION_REQUESTED',
  'confirmed',
  'DRONE_LAUNCHED',
);
const step = fc.record({
  seed: fc.nat(1_000_000),
  /** A command of those that are named, by its number; or an event of the hub. */
  does: fc.oneof(
    { weight: 3, arbitrary: fc.nat(20) },
    { weight: 1, arbitrary: emitted },
    { weight: 1, arbitrary: fc.constantFrom('ORDER_CANCELLATION_REQUEST', 'CANCELLATION_REQUESTED') },
  ),
});

describe('at the mock hub', () => {
  it('no command that nextCommands names is refused or reported, whatever events arrive in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...KINDS),
        fc.record({ sendPreparing: flag, sendPickedUp: flag, sendDelivered: flag }, { requiredKeys: [] }),
        fc.constantFrom(undefined, STRICT),
        fc.boolean(),
        fc.constantFrom('accept' as const, 'deny' as const, 'leave' as const),
        fc.array(step, { maxLength: 12 }),
        async (kind, flags, profile, optional, cancellation, steps) => {
          const atHub = await orderAtHub(
            { ...kind, ...flags },
            { cancellation, ...(profile && { profile }) },
          );
          for (const { seed, does } of steps) {
            const progress = progressIn(atHub, seed);
            const names = nextCommands(progress, atHub.order, { optional, profile });
            const name = typeof does === 'number' ? names[does % names.length] : undefined;
            if (typeof does === 'string') await atHub.emit(does);
            else if (name)
              expect([name, await atHub.send(name)]).toEqual([name, expect.toBeOneOf([202, 204])]);
          }
          expect(atHub.mock.violations()).toEqual([]);
        },
      ),
      { numRuns: runs(2000, 40) },
    );
  });

  const BY_STORE = { type: 'DELIVERY', deliveredBy: 'MERCHANT' };
  const BY_HUB = { type: 'DELIVERY', deliveredBy: 'MARKETPLACE' };
  const TAKEOUT = { type: 'TAKEOUT' };
  const FLAGS = { sendPreparing: true, sendPickedUp: true, sendDelivered: true };

  it.each<[string, Record<string, unknown>, NextCommandsOptions, commands: string]>([
    ['a delivery by the store', BY_STORE, {}, 'confirm readyForPickup dispatch'],
    [
      'a delivery by the store with flags',
      { ...BY_STORE, ...FLAGS },
      {},
      'confirm preparing readyForPickup dispatch delivered',
    ],
    [
      'a delivery by the store at a strict host',
      BY_STORE,
      { profile: STRICT },
      'confirm readyForPickup dispatch delivered',
    ],
    ['a delivery by the hub', BY_HUB, { profile: STRICT }, 'confirm readyForPickup'],
    ['a delivery by the hub with flags', { ...BY_HUB, ...FLAGS }, {}, 'confirm preparing readyForPickup'],
    ['a takeout', TAKEOUT, {}, 'confirm readyForPickup'],
    ['a takeout with more', TAKEOUT, { optional: true }, 'confirm preparing readyForPickup pickedUp'],
    ['a takeout at a strict host', TAKEOUT, { profile: STRICT }, 'confirm readyForPickup pickedUp'],
    ['an indoor order', { type: 'INDOOR', ...FLAGS }, {}, 'confirm preparing readyForPickup'],
    ['an unknown type', { type: 'DRIVE_IN', ...FLAGS }, {}, 'confirm preparing readyForPickup'],
  ])(
    'the first command again and again brings %s to where only the hub can go on',
    async (_what, order, options, expected) => {
      const atHub = await orderAtHub(order, { profile: options.profile ?? {} });
      const sent: string[] = [];
      for (;;) {
        const [name] = nextCommands(progressIn(atHub, sent.length), atHub.order, options);
        if (name === undefined || name === 'requestCancellation') break;
        sent.push(name);
        expect(await atHub.send(name)).toBe(202);
      }
      expect(sent.join(' ')).toBe(expected);
      await atHub.emit('CONCLUDED');
      expect(nextCommands(progressIn(atHub, 1), atHub.order, options)).toEqual([]);
      expect(atHub.mock.violations()).toEqual([]);
    },
  );
});
