import { ConfigurationError, InvalidResponseError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { requestsTo, stage } from './support.js';

describe('orders.get', () => {
  it("reads an order by the standard's schema and reports deviations as issues", async () => {
    const { mock, hub } = stage();
    const { orderId } = mock.createOrder({ type: 'DRIVE_THROUGH', extra: { kept: true } });
    const { order, issues } = await hub.orders.get(orderId);
    expect(order.id).toBe(orderId);
    expect(order.total?.orderAmount).toEqual({ value: 62.8, currency: 'BRL' });
    expect(Reflect.get(order, 'extra')).toEqual({ kept: true });
    expect(issues).toEqual([
      { path: ['type'], code: 'unknown_value', message: expect.any(String), against: 'standard' },
    ]);
  });

  it('keeps an item that lacks fields', async () => {
    const { mock, hub } = stage();
    const { orderId } = mock.createOrder({ items: [{ quantity: '2' }, { name: null, unitPrice: '15.90' }] });
    const { order } = await hub.orders.get(orderId);
    expect(order.items).toMatchObject([{ quantity: 2 }, { unitPrice: { value: 15.9, currency: 'BRL' } }]);
  });

  it('reads by a schema of the application, whose issues are in the error', async () => {
    const { mock, hub } = stage();
    const { orderId, order: sent } = mock.createOrder();
    const schema = z.object({ displayId: z.string().transform(Number) });
    const { order } = await hub.orders.get(orderId, { schema });
    expect(order.displayId).toBe(Number(sent.displayId));
    const strict = z.object({ total: z.object({ orderAmount: z.string() }) });
    const failure = await hub.orders.get(orderId, { schema: strict }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidResponseError);
    expect(failure).toMatchObject({
      issues: [{ path: ['total', 'orderAmount'], code: 'schema', against: 'sense' }],
    });
    expect(requestsTo(mock, 'order')).toHaveLength(2);
    await expect(hub.orders.get(orderId, { schema: {} as never })).rejects.toBeInstanceOf(ConfigurationError);
  });
});

describe('commands', () => {
  it('change the order, and reject when the hub refuses them', async () => {
    const { mock, hub } = stage();
    const { orderId } = mock.createOrder();
    await hub.orders.confirm(orderId, { orderExternalCode: '17', createdAt: '2026-01-05T12:00:00Z' });
    await expect(hub.orders.delivered(orderId)).rejects.toMatchObject({
      code: 'unexpected_status',
      status: 422,
    });
    await hub.orders.preparing(orderId);
    await hub.orders.readyForPickup(orderId);
    await hub.orders.dispatch(orderId, {
      deliveryTrackingInfo: { externalTrackingURL: 'https://x.example' },
    });
    await hub.orders.delivered(orderId);
    expect(mock.emitted().map(({ eventType }) => eventType)).toEqual([
      'CREATED',
      'CONFIRMED',
      'PREPARING',
      'READY_FOR_PICKUP',
      'DISPATCHED',
      'DELIVERED',
    ]);
    expect(JSON.parse(requestsTo(mock, 'orderStatus')[0]?.body ?? '')).toEqual({
      orderExternalCode: '17',
      createdAt: '2026-01-05T12:00:00Z',
    });
  });

  it('request a cancellation, and deny or accept that of the hub', async () => {
    const { mock, hub } = stage({ cancellation: 'deny' });
    const { orderId } = mock.createOrder();
    await hub.orders.requestCancellation(orderId, {
      reason: 'no gas',
      code: 'INTERNAL_DIFFICULTIES_OF_THE_RESTAURANT',
      mode: 'MANUAL',
    });
    mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
    await hub.orders.denyCancellation(orderId, { reason: 'too late', code: 'DISH_ALREADY_DONE' });
    mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
    await hub.orders.acceptCancellation(orderId);
    expect(mock.emitted().map(({ eventType }) => eventType)).toEqual([
      'CREATED',
      'CANCELLATION_REQUESTED',
      'CANCELLATION_REQUEST_DENIED',
      'ORDER_CANCELLATION_REQUEST',
      'CANCELLED_DENIED',
      'ORDER_CANCELLATION_REQUEST',
      'CANCELLED',
    ]);
  });

  it.each(['<html>maintenance</html>', '\n\ufeff <!DOCTYPE html>', '<?xml version="1.0"?><ok/>'])(
    'are not accepted by a page: %j',
    async (body) => {
      const { mock, hub } = stage();
      const { orderId } = mock.createOrder();
      const unknown = { code: 'invalid_response', outcome: 'unknown', retryable: false };
      const requests = [
        () => hub.orders.confirm(orderId),
        () => hub.orders.validateCode(orderId, '9999'),
        () => hub.orders.details(orderId, {}),
      ];
      for (const request of requests) {
        mock.faults.next('orderStatus', { status: 200, body });
        await expect(request()).rejects.toMatchObject(unknown);
      }
      expect(requestsTo(mock, 'orderStatus')).toHaveLength(requests.length);
    },
  );

  it.each([{}, { status: 'ok' }, 'accepted', ''])('are accepted with the body %j', async (body) => {
    const { mock, hub } = stage();
    const { orderId } = mock.createOrder();
    mock.faults.next('orderStatus', { status: 202, body });
    expect(await hub.orders.confirm(orderId)).toEqual({ alreadyThere: false });
  });

  it('may have any name, and a body that JSON can represent', async () => {
    const { mock, hub } = stage();
    const { orderId } = mock.createOrder();
    await expect(hub.orders.updateStatus(orderId, 'somethingNew', { a: 1 })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(requestsTo(mock, 'orderStatus')[0]).toMatchObject({
      path: `/opendelivery/v1/orders/${orderId}/somethingNew`,
      body: '{"a":1}',
    });
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    for (const body of [cyclic, { big: 1n }, 'a string', 7, null]) {
      await expect(hub.orders.updateStatus(orderId, 'confirm', body as object)).rejects.toBeInstanceOf(
        ConfigurationError,
      );
    }
    for (const status of ['', '../x', 'a\r\nb']) {
      const sent = hub.orders.updateStatus(orderId, status);
      if (status === '../x') await expect(sent).rejects.toMatchObject({ code: 'not_found' });
      else await expect(sent).rejects.toBeInstanceOf(ConfigurationError);
    }
  });
});

describe('confirm', () => {
  it('fills in the fields that the standard requires unless the caller passes them', async () => {
    const { clock, mock, hub } = stage();
    const bodies = async (body?: object) => {
      const { orderId } = mock.createOrder();
      await hub.orders.confirm(orderId, body);
      return [orderId, JSON.parse(requestsTo(mock, 'orderStatus').at(-1)?.body ?? '')];
    };
    const createdAt = new Date(clock.now()).toISOString();
    const [orderId, filledIn] = await bodies();
    expect(filledIn).toEqual({ createdAt, orderExternalCode: orderId });
    const [secondId, more] = await bodies({ preparationTime: 20, createdAt: undefined });
    expect(more).toEqual({ createdAt, orderExternalCode: secondId, preparationTime: 20 });
    const own = { createdAt: '2026-01-05T12:00:00Z', orderExternalCode: '17', reason: 'why not' };
    expect((await bodies(own))[1]).toEqual(own);
  });

  it.each([null, 'a string', 7])('refuses the body %j', async (body) => {
    const { mock, hub } = stage();
    const confirmed = hub.orders.confirm('an-order', body as never);
    await expect(confirmed).rejects.toMatchObject({ code: 'configuration', option: 'body' });
    expect(mock.requests).toEqual([]);
  });
});
