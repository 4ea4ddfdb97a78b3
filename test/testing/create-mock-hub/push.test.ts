import { ConfigurationError } from 'opendelivery-client';
import type { HubEvent, NewEvent, PushOptions } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { made } from './support.js';

/** A mock hub that pushes to a webhook, which notes the header and the field of each push. */
function pushing(options?: PushOptions) {
  const { clock, mock } = made();
  const pushed: Array<readonly [string | null, unknown]> = [];
  const { deliveries } = mock.push(async (request) => {
    const { merchantId } = (await request.json()) as HubEvent;
    pushed.push([request.headers.get('x-app-merchantid'), merchantId]);
    return new Response(null, { status: pushed.length === 1 ? 503 : 200 });
  }, options);
  const emit = async (fields: NewEvent) => {
    mock.emit('CREATED', fields);
    await clock.advance('10s');
  };
  return { mock, clock, pushed, deliveries, emit };
}

describe('X-App-MerchantId of a push', () => {
  it('is the shop of the event, at every attempt', async () => {
    const { mock, clock, pushed } = pushing();
    mock.createOrder({ merchantId: 'shop-2' });
    await clock.advance('10s');
    expect(pushed).toEqual([
      ['shop-2', 'shop-2'],
      ['shop-2', 'shop-2'],
    ]);
  });

  it("is the id of the store's merchant document if the event has no shop", async () => {
    const { mock, pushed, emit } = pushing();
    const before = mock.merchant().id;
    await emit({});
    mock.publishMerchant({ id: 'renamed' });
    await emit({});
    expect(pushed.map(([header]) => header)).toEqual([before, before, 'renamed']);
  });

  it('is the option if that is given', async () => {
    const { pushed, emit } = pushing({ merchantId: 'another' });
    await emit({ merchantId: 'shop-2' });
    expect(pushed[0]).toEqual(['another', 'shop-2']);
  });

  it('is absent if a header cannot carry the shop', async () => {
    const { pushed, deliveries, emit } = pushing();
    await emit({ merchantId: '日本' });
    expect(pushed[0]).toEqual([null, '日本']);
    expect(deliveries).toMatchObject([{ status: 503 }, { status: 200 }]);
  });

  it.each(['merchantId', 'appId'])('and X-App-Id refuse an option that no header can carry: %s', (name) => {
    expect(() => pushing({ [name]: '日本' })).toThrow(ConfigurationError);
  });
});
