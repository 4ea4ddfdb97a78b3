import type { HubEvent, MockHub } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { itemOf, problemOf } from '../../fixtures/plain.js';
import { made } from './support.js';

const MAX_ORDERS = 10_000;

async function hub() {
  const { clock, mock, api } = made();
  const token = await api.token();
  const acknowledgeAll = async () => {
    for (let pending = mock.pending(); pending.length > 0; pending = mock.pending()) {
      const { status } = await api.acknowledge(token, pending.slice(0, 100).map(itemOf));
      if (status === 429) await clock.advance('1m');
      else expect(status).toBe(202);
    }
  };
  const statusOf = async (orderId: string) => {
    await clock.advance('1m');
    return (await api.order(token, orderId)).status;
  };
  return { clock, mock, api, token, acknowledgeAll, statusOf };
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

const create = (mock: MockHub, count: number) =>
  Array.from({ length: count }, () => mock.createOrder().orderId);

describe('a mock hub with more than 10,000 orders', () => {
  it('forgets the finished ones first, then those whose events were acknowledged, and their events', async () => {
    const { clock, mock, api, token, acknowledgeAll, statusOf } = await hub();
    const [pending] = create(mock, 1) as [string];
    const [event] = mock.pending();
    const [open, concluded, cancelled] = create(mock, 3) as [string, string, string];
    mock.emit('CONCLUDED', { orderId: concluded });
    mock.emit('CANCELLED', { orderId: cancelled });
    create(mock, MAX_ORDERS - 4);
    await acknowledgeAll();
    mock.redeliver(String(event?.eventId));
    expect(await statusOf(concluded)).toBe(200);
    const [newest] = create(mock, 1) as [string];
    for (const orderId of [concluded, cancelled, open]) {
      await clock.advance('1m');
      const response = await api.order(token, orderId);
      expect((await problemOf(response)).title).toMatch(/keeps 10000 orders and has forgotten 1000 without/);
      expect(response.status).toBe(404);
      expect((await api.command(token, orderId, 'confirm')).status).toBe(404);
    }
    for (const orderId of [pending, newest]) expect(await statusOf(orderId)).toBe(200);
    const orderIds = new Set(mock.emitted().map(({ orderId }) => orderId));
    expect([orderIds.size, orderIds.has(pending), orderIds.has(concluded)]).toEqual([9001, true, false]);
    expect(mock.acknowledged().some(({ orderId }) => orderId === concluded)).toBe(false);
    expect(mock.pending().map(({ orderId }) => orderId)).toEqual([pending, newest]);
  });

  it('forgets no order with a pending event, however many there are', async () => {
    const { mock } = await hub();
    create(mock, MAX_ORDERS + 1500);
    expect(mock.pending()).toHaveLength(MAX_ORDERS + 1500);
    expect(mock.emitted()).toHaveLength(MAX_ORDERS + 1500);
  });

  it('reports an order that had no answer in time, and waits for no answer to one that it has forgotten', async () => {
    const { clock, mock, api } = made();
    const token = await api.token();
    const unanswered = () => mock.violations().filter(({ rule }) => rule === 'unanswered-order');
    create(mock, 100);
    await clock.advance('11m');
    create(mock, MAX_ORDERS - 100);
    // A poll with a filter loses the events that it leaves out.
    await api.get('/v1/events:polling?eventType=NONE', bearer(token));
    create(mock, 1);
    expect(mock.emitted()).toHaveLength(9001);
    expect(unanswered()).toHaveLength(100);
    await clock.advance('11m');
    expect(unanswered()).toHaveLength(100 + 9001);
  });

  it('knows an event whose id an order has that it has forgotten', async () => {
    const { mock, api } = made();
    const token = await api.token();
    const [finished, kept] = create(mock, 2) as [string, string];
    for (const orderId of [finished, kept]) mock.emit('CONFIRMED', { orderId, eventId: 'twice' });
    mock.refuseAcknowledgment('twice');
    mock.emit('CONCLUDED', { orderId: finished });
    create(mock, MAX_ORDERS - 2);
    await api.get('/v1/events:polling?eventType=NONE', bearer(token));
    mock.emit('PREPARING', { orderId: kept });
    create(mock, 1);
    expect(mock.emitted().some(({ orderId }) => orderId === finished)).toBe(false);
    mock.redeliver('twice');
    const [event] = mock.pending().filter(({ eventId }) => eventId === 'twice');
    expect(event?.orderId).toBe(kept);
    expect((await api.acknowledge(token, [itemOf(event as HubEvent)])).status).toBe(400);
  });

  it('shows the events that it has kept in the console', async () => {
    const { mock, acknowledgeAll } = await hub();
    const { url, close } = await mock.listen();
    onTestFinished(close);
    const details = async (orderId: string) => {
      const response = await fetch(`${url}/_mock/ui/order?clientId=1001&orderId=${orderId}`);
      return (await response.json()) as { history?: { name: string; acknowledgedAt?: number }[] };
    };
    const [first] = create(mock, MAX_ORDERS) as [string];
    await acknowledgeAll();
    expect(JSON.stringify(await details(first))).toContain('acknowledgedAt');
    const [newest] = create(mock, 1) as [string];
    expect(JSON.stringify(await details(newest))).not.toContain('acknowledgedAt');
    await acknowledgeAll();
    expect(JSON.stringify(await details(newest))).toContain('acknowledgedAt');
  });
});
