import fc from 'fast-check';
import { HubFleet } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { runs } from '../runs.js';
import { afterAdvance, densest, requestsTo, stage } from '../support.js';

const HOUR_MS = 3_600_000;

describe("a host's own limit", () => {
  it('of polls is never exceeded by a poller, and neither is ours', async () => {
    const polling = fc.record({
      requests: fc.integer({ min: 1, max: 40 }),
      windowMs: fc.integer({ min: 1000, max: 20 * 60_000 }),
    });
    let hubs = 0;
    await fc.assert(
      fc.asyncProperty(
        polling,
        fc.constantFrom('sliding' as const, 'fixed' as const),
        async (limit, windows) => {
          const profile = { limits: { polling: limit } };
          const { clock, mock, hub } = stage(
            {
              profile,
              windows,
              latencyMs: 200,
              // A host of its own for each run: two runs may draw the same limit.
              baseUrl: `https://hub-${(hubs += 1)}.example`,
            },
            { profile },
          );
          const poller = hub.poller();
          poller.on('event', () => {});
          await afterAdvance(clock, '1h', poller.start());
          await poller.stop();
          const polls = requestsTo(mock, 'polling');
          expect(mock.violations()).toEqual([]);
          expect(densest(polls, 60_000)).toBeLessThanOrEqual(2);
          expect(densest(polls, limit.windowMs)).toBeLessThanOrEqual(limit.requests);
          // As often as both limits allow, but for the latency and the margins.
          const perHour = Math.min(120, (HOUR_MS / limit.windowMs) * limit.requests);
          expect(polls.length).toBeGreaterThan(perHour * 0.6 - 2);
        },
      ),
      { numRuns: runs(40, 20) },
    );
  });

  it('of tokens leaves half of it to callers, when background renewals fail', async () => {
    const profile = { limits: { token: { requests: 2, windowMs: HOUR_MS } } };
    const { clock, mock, hub } = stage({ profile, tokenLifetimeMs: 4 * HOUR_MS }, { profile });
    await hub.auth.getToken();
    await clock.advance('3h40m');
    for (let minute = 0; minute < 10; minute += 1) {
      mock.faults.next('token', 503);
      await hub.auth.getToken();
      await clock.advance('1m');
    }
    // The first token, and one renewal in the background.
    expect(requestsTo(mock, 'token')).toHaveLength(2);
    mock.faults.clear();
    await hub.auth.renew();
    expect(requestsTo(mock, 'token')).toHaveLength(3);
    expect(mock.violations()).toEqual([]);
  });

  it('of polls makes the default interval longer too', async () => {
    const profile = { limits: { polling: { requests: 1, windowMs: 120_000 } } };
    const { clock, hub } = stage({ profile }, { profile });
    const poller = hub.poller();
    poller.on('event', () => {});
    await poller.start();
    expect((poller.health().nextPollAt as number) - clock.now()).toBe(120_000);
    await poller.stop();
  });

  it('that the client does not know ends in a RateLimitError of the hub, and is a violation', async () => {
    const profile = { limits: { order: { requests: 1, windowMs: 60_000 } } };
    const { mock, hub } = stage({ profile, limitHeaders: false }, { retry: { attempts: 1 } });
    const { orderId } = mock.createOrder();
    await hub.orders.get(orderId);
    await expect(hub.orders.get(orderId)).rejects.toMatchObject({
      code: 'rate_limit',
      endpoint: 'order',
      origin: 'hub',
    });
    expect(mock.violations()).toMatchObject([{ rule: 'limit', endpoint: 'order' }]);
  });

  it('is what rateLimits() and the error of a local limit say', async () => {
    const profile = { limits: { order: { requests: 1, windowMs: 90_000 } } };
    const { clock, mock, hub } = stage(
      { profile, limitHeaders: false },
      { profile, rateLimit: { mode: 'throw' } },
    );
    const { orderId } = mock.createOrder();
    await hub.orders.get(orderId);
    expect(hub.rateLimits().order).toMatchObject({ limit: 1, remaining: 0 });
    await expect(hub.orders.get(orderId)).rejects.toThrow('the hub allows 1 requests in 1.5 min');
    await clock.advance('70s');
    await expect(hub.orders.get(orderId)).rejects.toThrow('the next slot frees in 20000 ms');
    await clock.advance('20s');
    await hub.orders.get(orderId);
    expect(mock.violations()).toEqual([]);
  });
});

describe('a fleet', () => {
  it('has the profile for all of its stores, with the interval that it allows', async () => {
    const clock = new ManualClock();
    const profile = {
      basePath: '',
      headers: { 'x-partner': 'a-partner-key' },
      token: { credentials: 'basic' as const },
      limits: { polling: { requests: 1, windowMs: 120_000 } },
    };
    const stores = ['1', '2', '3'].map((id) => ({
      clientId: id,
      clientSecret: `secret-of-${id}`,
      apiKey: `key-of-${id}`,
    }));
    const mock = createMockHub({ clock, profile, stores, unansweredAfterMs: Number.POSITIVE_INFINITY });
    const options = { baseUrl: mock.baseUrl, fetch: mock.fetch, clock, profile, logger: false as const };
    const ofFleet = stores.map((store) => ({
      storeId: `store-${store.clientId}`,
      ...store,
      ...(store.clientId === '2' && { merchants: ['shop-9', 'shop-10'] }),
    }));
    expect(() => new HubFleet({ ...options, stores: ofFleet, poller: { intervalMs: 60_000 } })).toThrow(
      /^intervalMs: must be at least 120000 ms/,
    );
    const fleet = new HubFleet({ ...options, stores: ofFleet });
    const seen: unknown[] = [];
    fleet.on('CREATED', (_event, { storeId, merchantId }) => void seen.push([storeId, merchantId]));
    await afterAdvance(clock, '3m', fleet.start());
    mock.createOrder({ clientId: '2', merchantId: 'shop-9' });
    mock.createOrder({ clientId: '2', merchantId: 'shop-11' });
    await clock.advance('10m');
    await fleet.stop();
    expect(seen).toEqual([['store-2', 'shop-9']]);
    expect(mock.pending('2').map((event) => event.merchantId)).toEqual(['shop-11']);
    expect(mock.violations()).toEqual([]);
    for (const { clientId } of stores) {
      const polls = requestsTo(mock, 'polling').filter((request) => request.clientId === clientId);
      expect(polls.length).toBeGreaterThan(5);
    }
  });
});
