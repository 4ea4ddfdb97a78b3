import { ConfigurationError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { requestsTo, stage } from '../support.js';

const headersOf = (mock: ReturnType<typeof stage>['mock']) =>
  requestsTo(mock, 'polling').map(({ headers }) => headers['x-polling-merchants']);

describe('merchants', () => {
  it('are sent as one header, joined by commas; by default none', async () => {
    const { mock, hub } = stage();
    await hub.events.poll();
    await hub.events.poll({ merchants: ['shop-1', ' shop-2 '] });
    expect(headersOf(mock)).toEqual([undefined, 'shop-1,shop-2']);
    await expect(hub.events.poll({ merchants: [] })).rejects.toThrow(ConfigurationError);
    const many = Array.from({ length: 101 }, (_, at) => `shop-${at}`);
    await expect(hub.events.poll({ merchants: many })).rejects.toThrow(
      'must contain at most 100 ids, not 101',
    );
  });

  it('are sent at every poll of a poller, which gets the events of these shops only', async () => {
    const { mock, hub, clock } = stage();
    const seen: unknown[] = [];
    const poller = hub.poller({ merchants: ['shop-1', 'shop-2'] });
    poller.on('CREATED', ({ orderId }, { merchantId }) => void seen.push([orderId, merchantId]));
    await poller.start();
    for (const merchantId of ['shop-1', 'shop-2', 'shop-3'])
      mock.createOrder({ merchantId, orderId: `of-${merchantId}` });
    mock.createOrder();
    await clock.advance('2m');
    expect(seen).toEqual([
      ['of-shop-1', 'shop-1'],
      ['of-shop-2', 'shop-2'],
    ]);
    expect(new Set(headersOf(mock))).toEqual(new Set(['shop-1,shop-2']));
    expect(mock.pending().map(({ merchantId }) => merchantId)).toEqual(['shop-3', undefined]);
    const { order } = await hub.orders.get('of-shop-1');
    expect(order.merchant?.id).toBe('shop-1');
  });

  it('name the shop of the context: the one of the event, otherwise the only one that was polled', async () => {
    const shopOfDefault = stage().mock.merchant().id as string;
    for (const [merchants, ofEvent, expected] of [
      [undefined, undefined, undefined],
      [undefined, 'shop-1', 'shop-1'],
      [[shopOfDefault], undefined, shopOfDefault],
      [[shopOfDefault, 'shop-1'], undefined, undefined],
      [[shopOfDefault, 'shop-1'], 'shop-1', 'shop-1'],
    ] as const) {
      const { mock, hub } = stage();
      const seen: unknown[] = [];
      const poller = hub.poller({ merchants });
      poller.on('event', (_event, { merchantId }) => void seen.push(merchantId));
      mock.emit('CREATED', { ...(ofEvent && { merchantId: ofEvent }) });
      await poller.runOnce();
      expect(seen).toEqual([expected]);
    }
  });

  it('that the mock hub gets too many of are a violation', async () => {
    const { mock, hub } = stage();
    const { value } = await hub.auth.getToken();
    const ids = Array.from({ length: 101 }, (_, at) => at).join();
    const headers = { authorization: `Bearer ${value}`, 'x-polling-merchants': ids };
    const response = await mock.fetch(`${mock.baseUrl}/opendelivery/v1/events:polling`, { headers });
    expect(response.status).toBe(400);
    expect(mock.violations()).toMatchObject([{ rule: 'polling-merchants', endpoint: 'polling' }]);
  });
});
