import type { HostProfile } from 'opendelivery-client';
import type { MockHubSwitches } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import * as jsonToken from '../../examples/hosts/json-token.js';
import * as manyShops from '../../examples/hosts/many-shops.js';
import * as signed from '../../examples/hosts/signed.js';
import * as standard from '../../examples/hosts/standard.js';
import { requestsTo, stage } from '../support.js';

interface Host {
  readonly profile: HostProfile;
  readonly switches: Partial<MockHubSwitches>;
}

const HOSTS: readonly (readonly [name: string, host: Host])[] = [
  ['the host of the spec', { profile: {}, switches: {} }],
  ['examples/hosts/standard.ts', standard],
  ['examples/hosts/json-token.ts', jsonToken],
  ['examples/hosts/many-shops.ts', manyShops],
  ['examples/hosts/signed.ts', signed],
];

describe.each(HOSTS)('%s', (_name, { profile, switches }) => {
  it('gives an evening without a violation: token, poll, 429, order, confirm, acknowledge', async () => {
    const { clock, mock, hub, log } = stage({ profile, ...switches }, { profile });
    const handled: string[] = [];
    const poller = hub.poller();
    poller.on('CREATED', async ({ orderId }) => {
      const { order } = await hub.orders.get(orderId);
      await hub.orders.confirm(orderId);
      handled.push(orderId);
      expect(order.id).toBe(orderId);
    });
    poller.on('error', () => {});
    await poller.start();
    const orderIds = [mock.createOrder().orderId, mock.createOrder({ type: 'TAKEOUT' }).orderId];
    await clock.advance('1m');
    mock.faults.next('polling', { status: 429, headers: { 'retry-after': '75' } });
    await clock.advance('1m');
    orderIds.push(mock.createOrder({ include: ['options', 'change'] }).orderId);
    await clock.advance('5m');
    expect(handled.sort()).toEqual(orderIds.sort());
    expect((await hub.merchant.get()).merchant.id).toBeTruthy();
    expect(await poller.stop()).toMatchObject({ handled: 3, acknowledged: 6, timedOut: false });
    expect([mock.pending(), mock.violations(), log.filter((line) => !line.includes('429'))]).toEqual([
      [],
      [],
      [expect.stringContaining('CONFIRMED')],
    ]);
    expect(requestsTo(mock, 'token')).toHaveLength(1);
    expect(requestsTo(mock, undefined)).toEqual([]);
    expect(JSON.stringify(mock.requests)).not.toContain(mock.credentials.clientSecret);
  });

  it('polls at most twice a minute, whatever it allows', async () => {
    const { clock, mock, hub } = stage({ profile, ...switches }, { profile });
    const poller = hub.poller();
    poller.on('event', () => {});
    await poller.start();
    await clock.advance('10m');
    expect(requestsTo(mock, 'polling').length).toBeLessThanOrEqual(21);
    expect(requestsTo(mock, 'polling').length).toBeGreaterThanOrEqual(20);
  });
});

it('a profile that is data survives JSON', async () => {
  for (const { profile, switches } of [standard, jsonToken, manyShops]) {
    const copy = JSON.parse(JSON.stringify(profile)) as HostProfile;
    expect(copy).toEqual(profile);
    const { mock, hub } = stage({ profile, ...switches }, { profile: copy });
    mock.createOrder();
    expect((await hub.events.poll()).events).toHaveLength(1);
  }
});
