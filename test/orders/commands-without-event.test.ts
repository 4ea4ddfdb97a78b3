import { ConfigurationError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { clientOf, requestsTo, stage } from '../support.js';
import { servedConsole } from '../testing/console/support.js';

/** A client, and an order of the fixture's customer after these events; the phone number ends in 4567. */
function open(...events: readonly string[]) {
  const { mock, hub, clock } = stage();
  const { orderId } = mock.createOrder();
  for (const type of events) mock.emit(type, { orderId });
  return { mock, hub, clock, orderId, emitted: mock.emitted().length };
}

const BODY = {
  deliveryTrackingInfo: {
    event: { type: 'ORDER_PICKED', datetime: '2026-01-05T12:00:00Z' },
    vehicle: { type: ['BICYCLE'] },
    eta: { deliveryEtaInMinutes: 12 },
    geoLocalization: { latitude: -23.5, longitude: -46.6 },
  },
} as const;

describe('tracking', () => {
  it('reports on a delivery, as the standard has it', async () => {
    const { mock, hub, orderId, emitted } = open('CONFIRMED', 'DISPATCHED');
    expect(await hub.orders.tracking(orderId, BODY)).toEqual({ alreadyThere: false });
    const [request] = requestsTo(mock, 'orderStatus');
    expect(request).toMatchObject({ method: 'POST', path: `/opendelivery/v1/orders/${orderId}/tracking` });
    expect(JSON.parse(request?.body ?? '')).toEqual(BODY);
    expect(mock.emitted()).toHaveLength(emitted);
    expect(mock.violations()).toEqual([]);
  });

  it('fails if the hub does not expect it', async () => {
    const { hub, orderId } = open();
    await expect(hub.orders.tracking(orderId, BODY)).rejects.toMatchObject({ status: 422 });
  });
});

describe('validateCode', () => {
  it('says whether it is the code of the order', async () => {
    const { mock, hub, orderId, emitted } = open('CONFIRMED', 'DISPATCHED');
    expect(await hub.orders.validateCode(orderId, '4567')).toEqual({ valid: true });
    expect(await hub.orders.validateCode(orderId, '0000')).toEqual({
      valid: false,
      reason: 'the code is not valid',
    });
    expect(requestsTo(mock, 'orderStatus').map(({ method, path, body }) => [method, path, body])).toEqual(
      ['4567', '0000'].map((code) => [
        'POST',
        `/opendelivery/v1/orders/${orderId}/validateCode?deliveryCode=${code}`,
        '',
      ]),
    );
    expect(mock.emitted()).toHaveLength(emitted);
    expect(mock.violations()).toEqual([]);
  });

  it('encodes the code', async () => {
    const { mock, hub, orderId } = open('CONFIRMED', 'DISPATCHED');
    expect((await hub.orders.validateCode(orderId, '1&a=b #?/%')).valid).toBe(false);
    expect(requestsTo(mock, 'orderStatus')[0]?.path).toMatch(/deliveryCode=1%26a%3Db%20%23%3F%2F%25$/);
  });

  it('does not show the body of the hub if it names no reason', async () => {
    const { mock, hub, orderId } = open();
    mock.faults.next('orderStatus', { type: 'status', status: 400, body: 'wrong' });
    expect(await hub.orders.validateCode(orderId, '1')).toEqual({
      valid: false,
      reason: 'the hub gives no reason',
    });
  });

  it('fails with every other status', async () => {
    const { mock, hub, orderId } = open();
    for (const status of [404, 500]) {
      mock.faults.next('orderStatus', { type: 'status', status });
      await expect(hub.orders.validateCode(orderId, '1')).rejects.toMatchObject({ status });
    }
  });

  it.each(['', 7, undefined, 'a\nb'])('refuses the code %j and sends nothing', async (code) => {
    const { mock, hub, orderId } = open();
    await expect(hub.orders.validateCode(orderId, code as string)).rejects.toBeInstanceOf(ConfigurationError);
    expect(mock.requests).toEqual([]);
  });
});

describe('details', () => {
  it('changes the order with PATCH', async () => {
    const { mock, hub, orderId, emitted } = open('CONFIRMED');
    const preparationStartDateTime = '2026-01-05T13:00:00Z';
    expect(await hub.orders.details(orderId, { preparationStartDateTime })).toEqual({ alreadyThere: false });
    expect((await hub.orders.get(orderId)).order).toMatchObject({ preparationStartDateTime });
    expect(requestsTo(mock, 'orderStatus')).toMatchObject([
      { method: 'PATCH', path: `/opendelivery/v1/orders/${orderId}/details` },
    ]);
    expect(mock.emitted()).toHaveLength(emitted);
    expect(mock.violations()).toEqual([]);
  });

  it('is sent with PATCH through sockets too', async () => {
    const { mock, url } = await servedConsole();
    const { hub } = clientOf(mock, { baseUrl: url });
    const { orderId, order } = mock.createOrder();
    await hub.orders.details(orderId, { preparationStartDateTime: '2026-01-05T13:00:00Z' });
    expect(order.preparationStartDateTime).toBe('2026-01-05T13:00:00Z');
  });

  it('fails for an order that is over, and for a body that is not an object', async () => {
    const { hub, orderId } = open('CONCLUDED');
    await expect(hub.orders.details(orderId, {})).rejects.toMatchObject({ status: 400 });
    await expect(hub.orders.details(orderId, null as never)).rejects.toBeInstanceOf(ConfigurationError);
  });

  it('is the only command that the mock hub takes as PATCH, and only as PATCH', async () => {
    const { mock, hub, orderId } = open();
    const { value } = await hub.auth.getToken();
    const send = async (method: string, command: string) =>
      (
        await mock.fetch(
          new Request(`${mock.baseUrl}/opendelivery/v1/orders/${orderId}/${command}`, {
            method,
            headers: { authorization: `Bearer ${value}` },
          }),
        )
      ).status;
    expect(await send('PATCH', 'confirm')).toBe(404);
    expect(await send('POST', 'details')).toBe(404);
    expect(mock.emitted()).toHaveLength(1);
  });
});
