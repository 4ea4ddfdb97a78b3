import type { MockHub } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { plain, problemOf } from '../../fixtures/plain.js';
import { clientOf } from '../../support.js';
import { ordered } from './support.js';

const EMPTY = {
  rule: 'command-body',
  endpoint: 'orderStatus',
  message:
    'the body of confirm is not as in the standard: createdAt: is missing; it must be a string. orderExternalCode: is missing; it must be a string',
};

const brokenAt = (mock: MockHub) =>
  mock.violations().map(({ rule, endpoint, message }) => ({ rule, endpoint, message }));

describe('bodies of commands', () => {
  it('{} confirms an order, as at some hubs, and is reported', async () => {
    const { mock, command, types } = await ordered();
    expect((await command('confirm', {})).status).toBe(202);
    expect(brokenAt(mock)).toEqual([EMPTY]);
    expect(types()).toEqual(['CREATED', 'CONFIRMED']);
  });

  it('{} is refused with strictBodies, reported, and changes nothing', async () => {
    const { mock, command, types } = await ordered({ strictBodies: true });
    expect(await problemOf(await command('confirm', {}))).toEqual({ status: 400, title: EMPTY.message });
    expect(brokenAt(mock)).toEqual([EMPTY]);
    expect(types()).toEqual(['CREATED']);
  });

  it('{} is accepted for tracking and reported; for details it is as in the standard', async () => {
    const { clock, mock, orderId, command, emit } = await ordered();
    emit('CONFIRMED');
    expect((await command('tracking', {})).status).toBe(202);
    const { hub } = clientOf(mock, { fetch: mock.fetch, clock });
    await hub.orders.details(orderId, {});
    expect(brokenAt(mock).map(({ message }) => message)).toEqual([
      'the body of tracking is not as in the standard: deliveryTrackingInfo: is missing; it must be an object',
    ]);
  });

  it('with another media type is reported, and refused with strictBodies', async () => {
    for (const [strictBodies, status] of [
      [false, 202],
      [true, 400],
    ] as const) {
      const { mock, orderId } = await ordered({ strictBodies });
      const response = await mock.fetch(`${mock.baseUrl}/opendelivery/v1/orders/${orderId}/confirm`, {
        method: 'POST',
        headers: { authorization: `Bearer ${await plain(mock).token()}`, 'content-type': 'text/plain' },
        body: JSON.stringify({ createdAt: '2026-01-05T12:00:00Z', orderExternalCode: '7' }),
      });
      expect(response.status).toBe(status);
      expect(mock.violations()).toMatchObject([{ rule: 'content-type', endpoint: 'orderStatus' }]);
    }
  });

  it('are checked before the state of the order, and only for commands and orders that exist', async () => {
    const { command, rules } = await ordered({ strictBodies: true });
    expect((await command('denyCancellation', '')).status).toBe(400);
    expect((await command('denyCancellation')).status).toBe(422);
    expect((await command('cancel', '{')).status).toBe(404);
    expect((await command('confirm', '{', 'unknown')).status).toBe(404);
    expect(rules()).toHaveLength(1);
  });

  it('of this client are those of the standard', async () => {
    const { clock, mock, orderId } = await ordered({ strictBodies: true, cancellation: 'deny' });
    const { hub } = clientOf(mock, { fetch: mock.fetch, clock });
    await hub.orders.confirm(orderId);
    await hub.orders.preparing(orderId);
    await hub.orders.requestCancellation(orderId, { reason: 'x', code: 'RISK_AREA', mode: 'AUTO' });
    await hub.orders.dispatch(orderId);
    mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
    await hub.orders.denyCancellation(orderId, { reason: 'x', code: 'OUT_FOR_DELIVERY' });
    await hub.orders.delivered(orderId);
    expect(mock.violations()).toEqual([]);
  });
});
