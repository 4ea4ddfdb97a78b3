import type { HubEvent } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { made } from './support.js';

describe('emit', () => {
  it('passes every field on to the client, also those that the standard does not have', async () => {
    const { mock, api } = made();
    const given = {
      orderId: 'o',
      eventId: 'e',
      createdAt: 'yesterday',
      orderURL: 'https://elsewhere.example/o',
      sourceAppId: 'app',
      virtualBrand: 'Sushi da Vila',
      metadata: null,
      merchant: { id: 'm', tags: [1, { x: null }] },
      salesChannel: '',
      priority: 0,
      test: false,
    };
    // @ts-expect-error the type of `metadata` is an object, and a hub may send null
    const event = mock.emit('CREATED', { clientId: '1001', ...given });
    const polled = await (await api.poll(await api.token())).json();
    expect(polled).toEqual([{ eventType: 'CREATED', ...given }]);
    expect(mock.pending()).toEqual([event]);
  });

  it('fills in what is missing, and nothing else', () => {
    const { mock } = made();
    const event: HubEvent = mock.emit('LOYALTY_POINTS');
    expect(Object.keys(event).sort()).toEqual(['createdAt', 'eventId', 'eventType', 'orderId', 'orderURL']);
    expect(mock.emit('LOYALTY_POINTS', { eventType: 'OTHER' }).eventType).toBe('LOYALTY_POINTS');
  });
});
