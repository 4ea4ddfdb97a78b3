import type { MockHubOptions, NewOrder } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { problemOf } from '../../fixtures/plain.js';
import { clientOf } from '../../support.js';
import { made, ordered } from './support.js';

const RULE = 'command-not-for-this-order';

/** An order that is ready for pickup. */
async function ready(order: NewOrder, options: MockHubOptions = {}) {
  const hub = await ordered(options, order);
  hub.emit('CONFIRMED', 'READY_FOR_PICKUP');
  return hub;
}

const TRACKING = {
  deliveryTrackingInfo: { event: { type: 'PICKUP_ONGOING', datetime: '2026-01-01T12:00:00Z' } },
};
const bodyOf = (name: string) => (name === 'tracking' ? TRACKING : undefined);

const BY_STORE: NewOrder = { type: 'DELIVERY', deliveredBy: 'MERCHANT' };
const BY_HUB: NewOrder = { type: 'DELIVERY', deliveredBy: 'MARKETPLACE' };
const TAKEOUT: NewOrder = { type: 'TAKEOUT' };
const INDOOR: NewOrder = { type: 'INDOOR' };
const STRICT = { commands: { refuseOthers: true } };

/** Orders, what they are, and commands that are only for another kind. */
const OTHERS = (
  [
    [TAKEOUT, 'TAKEOUT', ['delivered', 'dispatch', 'tracking']],
    [INDOOR, 'INDOOR', ['delivered', 'dispatch', 'pickedUp']],
    [BY_STORE, 'DELIVERY by the MERCHANT', ['pickedUp']],
    [BY_HUB, 'DELIVERY by the MARKETPLACE', ['pickedUp', 'dispatch', 'delivered', 'tracking']],
    [{ type: 'DELIVERY', delivery: null }, 'DELIVERY', ['pickedUp']],
  ] as const
).flatMap(([order, kind, names]) => names.map((name) => ({ order, kind, name })));

describe('a command for another kind of order', () => {
  it.each(OTHERS)('is reported, and refused with 422 if the profile says so: $kind, $name', async (row) => {
    const { order, kind, name } = row;
    const only = name === 'pickedUp' ? 'TAKEOUT' : 'DELIVERY by the MERCHANT';
    const loose = await ready(order);
    await loose.command(name, bodyOf(name));
    const message = `${name} is not for order ${loose.orderId}: it is only for ${only}, and this order is ${kind}`;
    expect(loose.mock.violations()).toMatchObject([{ rule: RULE, endpoint: 'orderStatus', message }]);
    const { types, command, rules } = await ready(order, { profile: STRICT });
    const title = `${name} is not for this kind of order`;
    expect(await problemOf(await command(name, bodyOf(name)))).toEqual({ status: 422, title });
    expect([types(), rules()]).toEqual([['CREATED', 'CONFIRMED', 'READY_FOR_PICKUP'], [RULE]]);
  });

  it.each([
    [TAKEOUT, 'delivered'],
    [INDOOR, 'delivered'],
    [BY_HUB, 'dispatch'],
    [BY_STORE, 'pickedUp'],
  ])('is accepted at other hosts if the stage allows it: of %j, %s', async (order, name) => {
    const { command } = await ready(order);
    expect((await command(name)).status).toBe(202);
  });

  it.each([
    ['%64elivered', (id: string) => id],
    ['delivered', (id: string) => `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`],
  ])('is found in a percent-encoded path: %s', async (name, spelled) => {
    const { orderId, command, rules } = await ready(TAKEOUT, { profile: STRICT });
    expect((await command(name, undefined, spelled(orderId))).status).toBe(422);
    expect(rules()).toEqual([RULE]);
  });

  it('is found at the paths of a host, in the order document, and in a store of its own', async () => {
    const profile = { ...STRICT, basePath: '', paths: { orderStatus: '/{status}/of/{orderId}' } };
    const { clock, mock, rules } = made({ profile });
    const store = mock.addStore({ clientId: '2002', clientSecret: 'secret', apiKey: 'key' });
    const { orderId } = mock.createOrder({ clientId: '2002', delivery: { deliveredBy: 'MARKETPLACE' } });
    const { hub } = clientOf(mock, { ...store, profile, clock, fetch: mock.fetch });
    await hub.orders.confirm(orderId);
    await expect(hub.orders.dispatch(orderId)).rejects.toMatchObject({ status: 422 });
    expect(rules()).toEqual([RULE]);
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
    const { command, rules } = await ready(order, { profile: STRICT });
    for (const name of names) await command(name, bodyOf(name));
    expect(rules()).toEqual([]);
  });

  it.each([BY_STORE, BY_HUB, TAKEOUT, INDOOR])('preparing, which is for every order: %j', async (order) => {
    const { command, rules } = await ordered({ profile: STRICT }, order);
    for (const name of ['confirm', 'preparing', 'readyForPickup']) {
      expect((await command(name)).status).toBe(202);
    }
    expect(rules()).toEqual([]);
  });

  it('for an order that the hub does not have', async () => {
    const { command, rules } = await ready(TAKEOUT, { profile: STRICT });
    expect((await command('delivered', undefined, 'unknown')).status).toBe(404);
    expect(rules()).toEqual([]);
  });
});
