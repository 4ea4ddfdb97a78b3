import { HubClient } from 'opendelivery-client';
import { createMockHub, ManualClock, type MockHub, type MockHubOptions } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { plain, problemOf } from '../../fixtures/plain.js';

const RULE = 'command-not-for-this-order';

async function made(order: Record<string, unknown>, options: MockHubOptions = {}) {
  const mock = createMockHub({ clock: new ManualClock(), ...options });
  const api = plain(mock);
  const token = await api.token();
  const { orderId } = mock.createOrder(order);
  mock.emit('CONFIRMED', { orderId });
  mock.emit('READY_FOR_PICKUP', { orderId });
  return { mock, orderId, command: (name: string) => api.command(token, orderId, name, bodyOf(name)) };
}

const bodyOf = (name: string) =>
  name === 'tracking'
    ? { deliveryTrackingInfo: { event: { type: 'PICKUP_ONGOING', datetime: '2026-01-01T12:00:00Z' } } }
    : undefined;

const rulesOf = (mock: MockHub) => mock.violations().map(({ rule }) => rule);

const BY_STORE = { type: 'DELIVERY', deliveredBy: 'MERCHANT' };
const BY_HUB = { type: 'DELIVERY', deliveredBy: 'MARKETPLACE' };
const TAKEOUT = { type: 'TAKEOUT' };
const INDOOR = { type: 'INDOOR' };
const STRICT = { commands: { refuseOthers: true } };

/** Orders, commands that are not for them, and why. */
const OTHERS: ReadonlyArray<readonly [order: Record<string, unknown>, command: string, why: string]> = [
  [TAKEOUT, 'delivered', 'it is only for DELIVERY by the MERCHANT, and this order is TAKEOUT'],
  [TAKEOUT, 'dispatch', 'it is only for DELIVERY by the MERCHANT, and this order is TAKEOUT'],
  [TAKEOUT, 'tracking', 'it is only for DELIVERY by the MERCHANT, and this order is TAKEOUT'],
  [INDOOR, 'delivered', 'it is only for DELIVERY by the MERCHANT, and this order is INDOOR'],
  [INDOOR, 'dispatch', 'it is only for DELIVERY by the MERCHANT, and this order is INDOOR'],
  [INDOOR, 'pickedUp', 'it is only for TAKEOUT, and this order is INDOOR'],
  [BY_STORE, 'pickedUp', 'it is only for TAKEOUT, and this order is DELIVERY by the MERCHANT'],
  [BY_HUB, 'pickedUp', 'it is only for TAKEOUT, and this order is DELIVERY by the MARKETPLACE'],
  [
    BY_HUB,
    'dispatch',
    'it is only for DELIVERY by the MERCHANT, and this order is DELIVERY by the MARKETPLACE',
  ],
  [
    BY_HUB,
    'delivered',
    'it is only for DELIVERY by the MERCHANT, and this order is DELIVERY by the MARKETPLACE',
  ],
  [
    BY_HUB,
    'tracking',
    'it is only for DELIVERY by the MERCHANT, and this order is DELIVERY by the MARKETPLACE',
  ],
  [{ type: 'DELIVERY', delivery: null }, 'pickedUp', 'it is only for TAKEOUT, and this order is DELIVERY'],
];

describe('a command for another kind of order', () => {
  it.each(OTHERS)('is reported: of %j, %s', async (order, name, why) => {
    const { mock, orderId, command } = await made(order);
    await command(name);
    expect(mock.violations()).toMatchObject([
      { rule: RULE, endpoint: 'orderStatus', message: `${name} is not for order ${orderId}: ${why}` },
    ]);
  });

  it.each(OTHERS)(
    'is refused with 422 if the profile says so, and changes nothing: of %j, %s',
    async (order, name) => {
      const { mock, command } = await made(order, { profile: STRICT });
      const before = mock.emitted().length;
      expect(await problemOf(await command(name))).toEqual({
        status: 422,
        title: `${name} is not for this kind of order`,
      });
      expect(mock.emitted()).toHaveLength(before);
      expect(rulesOf(mock)).toEqual([RULE]);
    },
  );

  it.each([
    [TAKEOUT, 'delivered'],
    [INDOOR, 'delivered'],
    [BY_HUB, 'dispatch'],
    [BY_STORE, 'pickedUp'],
  ])('is accepted at other hosts if the stage allows it: of %j, %s', async (order, name) => {
    const { command } = await made(order);
    expect((await command(name)).status).toBe(202);
  });

  it.each([
    ['%64elivered', (id: string) => id],
    ['delivered', (id: string) => `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`],
  ])('is found in a percent-encoded path: %s', async (name, spelled) => {
    const { mock, orderId } = await made(TAKEOUT, { profile: STRICT });
    const api = plain(mock);
    expect((await api.command(await api.token(), spelled(orderId), name)).status).toBe(422);
    expect(rulesOf(mock)).toEqual([RULE]);
  });

  it('is found at the paths of a host, in the order document, and in a store of its own', async () => {
    const profile = { ...STRICT, basePath: '', paths: { orderStatus: '/{status}/of/{orderId}' } };
    const clock = new ManualClock();
    const mock = createMockHub({ clock, profile });
    const credentials = { clientId: '2002', clientSecret: 'secret', apiKey: 'key' };
    mock.addStore(credentials);
    const { orderId } = mock.createOrder({ clientId: '2002', delivery: { deliveredBy: 'MARKETPLACE' } });
    const hub = new HubClient({
      baseUrl: mock.baseUrl,
      ...credentials,
      profile,
      clock,
      fetch: mock.fetch,
      logger: false,
    });
    await hub.orders.confirm(orderId);
    await expect(hub.orders.dispatch(orderId)).rejects.toMatchObject({ status: 422 });
    await hub.close();
    expect(rulesOf(mock)).toEqual([RULE]);
  });
});

describe('what the standard allows is not reported', () => {
  it.each([
    [BY_STORE, ['dispatch', 'tracking', 'delivered']],
    [TAKEOUT, ['pickedUp']],
    [{ type: 'DELIVERY', delivery: null }, ['dispatch', 'delivered']],
    [{ type: 'DELIVERY', delivery: { deliveredBy: 'DRONE' } }, ['dispatch', 'delivered']],
    [{ type: null }, ['pickedUp', 'delivered', 'dispatch']],
    [{ type: 'DRIVE_IN' }, ['pickedUp', 'delivered', 'dispatch']],
    [BY_HUB, ['requestCancellation']],
  ])('without a flag: of %j, %j', async (order, names) => {
    const { mock, command } = await made(order, { profile: STRICT });
    for (const name of names) await command(name);
    expect(rulesOf(mock)).toEqual([]);
  });

  it.each([BY_STORE, BY_HUB, TAKEOUT, INDOOR])('preparing, which is for every order: %j', async (order) => {
    const mock = createMockHub({ clock: new ManualClock(), profile: STRICT });
    const api = plain(mock);
    const token = await api.token();
    const { orderId } = mock.createOrder(order);
    for (const name of ['confirm', 'preparing', 'readyForPickup']) {
      expect(
        (
          await api.command(
            token,
            orderId,
            name,
            name === 'confirm' ? { createdAt: '2026-01-01T12:00:00Z', orderExternalCode: '1' } : undefined,
          )
        ).status,
      ).toBe(202);
    }
    expect(rulesOf(mock)).toEqual([]);
  });

  it('for an order that the hub does not have', async () => {
    const { mock } = await made(TAKEOUT, { profile: STRICT });
    const api = plain(mock);
    expect((await api.command(await api.token(), 'unknown', 'delivered')).status).toBe(404);
    expect(rulesOf(mock)).toEqual([]);
  });
});
