import { describe, expect, it } from 'vitest';
import { requestsTo, stage } from '../support.js';

const REASON = { reason: 'no gas', code: 'INTERNAL_DIFFICULTIES_OF_THE_RESTAURANT', mode: 'MANUAL' };

describe('a command that the hub refuses with 422', () => {
  it.each([
    ['confirm', ['CONFIRMED']],
    ['confirm', ['CONFIRMED', 'DISPATCHED']],
    ['confirm', ['CONFIRMED', 'PICKUP_AREA_ASSIGNED']],
    ['confirm', ['CONFIRMED', 'PREPARATION_REQUESTED']],
    ['confirm', ['CONFIRMED', 'ORDER_CANCELLATION_REQUEST']],
    ['confirm', ['PREPARING', 'ORDER_CANCELLATION_REQUEST', 'CANCELLED_DENIED']],
    ['confirm', ['CONFIRMED', 'CANCELLATION_REQUESTED', 'CANCELLATION_REQUEST_DENIED']],
    ['preparing', ['CONFIRMED', 'PREPARING']],
    ['preparing', ['PICKUP_AREA_ASSIGNED']],
    ['readyForPickup', ['CONFIRMED', 'READY_FOR_PICKUP', 'CONCLUDED']],
    ['readyForPickup', ['CONFIRMED', 'READY_FOR_PICKUP', 'PICKUP_AREA_ASSIGNED']],
    ['dispatch', ['CONFIRMED', 'DISPATCHED']],
    ['delivered', ['CONFIRMED', 'DISPATCHED', 'DELIVERED']],
    ['acceptCancellation', ['ORDER_CANCELLATION_REQUEST', 'CANCELLED']],
    ['denyCancellation', ['ORDER_CANCELLATION_REQUEST', 'CANCELLED_DENIED']],
    ['requestCancellation', ['CANCELLATION_REQUESTED']],
    ['requestCancellation', ['CANCELLED']],
  ] as const)('is reported as done if the order is there already: %s after %j', async (command, events) => {
    const { mock, hub } = stage();
    const { orderId } = mock.createOrder();
    for (const type of events) mock.emit(type, { orderId });
    const emitted = mock.emitted().length;
    expect(await hub.orders.updateStatus(orderId, command, REASON)).toEqual({ alreadyThere: true });
    expect(requestsTo(mock, 'orderStatus')).toHaveLength(1);
    expect(requestsTo(mock, 'order')).toHaveLength(1);
    expect(mock.emitted()).toHaveLength(emitted);
  });

  it.each([
    ['confirm', ['CANCELLED']],
    ['confirm', ['CONFIRMED', 'COURIER_ASSIGNED']], // a type of this hub only
    ['confirm', ['CONFIRMED', 'CANCELLATION_REQUESTED']], // until the hub has answered
    ['preparing', ['CONFIRMED', 'PREPARING', 'ORDER_CANCELLATION_REQUEST']], // the order does not show it
    ['dispatch', ['CANCELLED']],
    ['dispatch', ['PICKUP_AREA_ASSIGNED']],
    ['delivered', ['CONFIRMED']],
    ['acceptCancellation', ['CONFIRMED']],
    ['denyCancellation', ['CANCELLED']],
    ['requestCancellation', ['CONCLUDED']],
  ] as const)('fails if the order is elsewhere: %s after %j', async (command, events) => {
    const { mock, hub } = stage();
    const { orderId } = mock.createOrder();
    for (const type of events) mock.emit(type, { orderId });
    await expect(hub.orders.updateStatus(orderId, command, REASON)).rejects.toMatchObject({ status: 422 });
  });

  it('does not keep an order waiting whose customer asks to cancel it after a confirmation that was lost', async () => {
    const { mock, hub, clock } = stage();
    const poller = hub.poller();
    poller
      .on('error', () => {})
      .on('CREATED', async ({ orderId }) => void (await hub.orders.confirm(orderId)))
      .on('ORDER_CANCELLATION_REQUEST', async ({ orderId }) => {
        await hub.orders.denyCancellation(orderId, { reason: 'in the oven', code: 'DISH_ALREADY_DONE' });
      })
      .on('event', () => {});
    mock.faults.next('orderStatus', 'lost');
    const { orderId } = mock.createOrder();
    void poller.start();
    await clock.advance('5s');
    mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
    await clock.advance('5m');
    expect(mock.pending()).toEqual([]);
    expect((await hub.orders.get(orderId)).order.lastEvent).toBe('CANCELLED_DENIED');
    expect(mock.violations()).toEqual([]);
  });

  it('fails if it is not for the kind of the order, however far that is', async () => {
    const { mock, hub } = stage();
    const { orderId } = mock.createOrder({ type: 'TAKEOUT' });
    await hub.orders.confirm(orderId);
    await hub.orders.readyForPickup(orderId);
    await hub.orders.pickedUp(orderId);
    await expect(hub.orders.dispatch(orderId)).rejects.toMatchObject({ status: 422 });
    expect(await hub.orders.readyForPickup(orderId)).toEqual({ alreadyThere: true });
  });

  it('fails with the refusal if the order has no lastEvent, or cannot be read', async () => {
    const { mock, hub, clock } = stage();
    const { orderId, order } = mock.createOrder();
    await hub.orders.confirm(orderId);
    mock.faults.next('order', { type: 'status', status: 404 });
    await expect(hub.orders.confirm(orderId)).rejects.toMatchObject({ status: 422 });
    mock.faults.next('order', { type: 'status', status: 200, body: { ...order, lastEvent: null } as never });
    await expect(hub.orders.confirm(orderId)).rejects.toMatchObject({ status: 422 });
    await clock.advance('1s');
  });

  it('rejects with the reason of a signal that aborts while the order is read', async () => {
    const { mock, hub } = stage();
    const { orderId } = mock.createOrder();
    await hub.orders.confirm(orderId);
    mock.faults.next('order', 'hang');
    const abort = new AbortController();
    const call = hub.orders.confirm(orderId, {}, { signal: abort.signal });
    await expect.poll(() => requestsTo(mock, 'order')).toHaveLength(1);
    abort.abort(new Error('closing time'));
    await expect(call).rejects.toThrow('closing time');
  });

  it.each([
    ['CANCELLED', { alreadyThere: true }],
    ['CANCELLATION_REQUEST_DENIED', undefined],
  ])('believes the cancellationStatus of the body: %s', async (cancellationStatus, result) => {
    const { mock, hub } = stage();
    const { orderId } = mock.createOrder();
    const body = { title: 'already decided', status: 422, cancellationStatus };
    mock.faults.next('orderStatus', { type: 'status', status: 422, body });
    const call = hub.orders.requestCancellation(orderId, REASON);
    if (result) expect(await call).toEqual(result);
    else await expect(call).rejects.toMatchObject({ status: 422 });
    expect(requestsTo(mock, 'order')).toEqual([]);
  });

  it('fails at once if only this hub has the command, or with another status', async () => {
    const { mock, hub } = stage();
    const { orderId } = mock.createOrder();
    mock.faults.next('orderStatus', { type: 'status', status: 422 });
    await expect(hub.orders.updateStatus(orderId, 'refund')).rejects.toMatchObject({ status: 422 });
    mock.faults.next('orderStatus', { type: 'status', status: 409 });
    await expect(hub.orders.confirm(orderId)).rejects.toMatchObject({ status: 409 });
    expect(requestsTo(mock, 'order')).toEqual([]);
  });
});
