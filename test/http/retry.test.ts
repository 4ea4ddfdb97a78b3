import { HubError, ServerError } from 'opendelivery-client';
import type { FaultLike } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { during } from '../support.js';
import { clientAndMock, failure, fixRandom, gaps, timesAt } from './support.js';

describe('a request that may be sent again', () => {
  it.each<[string, FaultLike]>([
    ['a reset', 'reset'],
    ['a response that is lost', 'lost'],
    ['a 500', 500],
    ['a 503', 503],
    ['a 408 of a proxy', 408],
    ['a timeout', 'hang'],
    ['a dribbling body', 'dribble'],
    ['a body that breaks off', 'truncate'],
    ['truncated JSON', 'malformed'],
  ])('is sent again after %s', async (_what, fault) => {
    const { clock, mock, hub } = clientAndMock();
    mock.faults.next('merchant', fault);
    expect((await during(clock, '1m', hub.merchant.get())).stale).toBe(false);
    expect(timesAt(mock, 'merchant')).toHaveLength(2);
  });

  it.each([400, 401, 403, 404])('is not sent again after %i', async (status) => {
    const { clock, mock, hub } = clientAndMock();
    mock.faults.next('merchant', status);
    const error = await failure(hub.merchant.get(), HubError);
    expect(error).toMatchObject({ status, attempts: 1, retryable: false });
    expect([mock.requests.length, clock.monotonic()]).toEqual([1, 0]);
  });

  it.each([1, 2, 3, 7])(
    'is sent %i times if `attempts` says so, including the first time',
    async (attempts) => {
      const { clock, mock, hub } = clientAndMock({ retry: { attempts } });
      mock.faults.next('merchant', 500, 20);
      expect(await during(clock, '5m', failure(hub.merchant.get(), ServerError))).toMatchObject({ attempts });
      expect(timesAt(mock, 'merchant')).toHaveLength(attempts);
    },
  );

  it('counts its attempts in the events of the client', async () => {
    const { clock, mock, hub } = clientAndMock();
    const attempts: number[] = [];
    const retries: number[] = [];
    hub.on('request', ({ attempt }) => attempts.push(attempt));
    hub.on('retry', ({ attempt }) => retries.push(attempt));
    mock.faults.next('merchant', 'reset', 3);
    await during(clock, '5m', hub.merchant.get());
    expect([attempts, retries]).toEqual([
      [1, 2, 3, 4],
      [2, 3, 4],
    ]);
  });

  it('waits up to twice as long each time, and never beyond maxDelayMs', async () => {
    fixRandom(0.5);
    const { clock, mock, hub } = clientAndMock({
      retry: { attempts: 6, minDelayMs: 1000, maxDelayMs: 6000 },
    });
    mock.faults.next('merchant', 500, 5);
    await during(clock, '5m', hub.merchant.get());
    expect(gaps(timesAt(mock, 'merchant'))).toEqual([500, 1000, 2000, 3000, 3000]);
  });

  it('starts no wait that would end after deadlineMs', async () => {
    fixRandom(0.5);
    const { clock, mock, hub } = clientAndMock({
      retry: { attempts: 10, minDelayMs: 2000, deadlineMs: 6999 },
    });
    mock.faults.next('merchant', 500, 10);
    await during(clock, '3s', failure(hub.merchant.get(), ServerError));
    expect(timesAt(mock, 'merchant')).toEqual([0, 1000, 3000]);
  });

  it.each([1, 2])(
    'is not sent again after its caller has aborted during the wait after attempt %i',
    async (attempt) => {
      const { clock, mock, hub } = clientAndMock();
      const { orderId } = mock.createOrder();
      mock.faults.next('order', 500, 4);
      const caller = new AbortController();
      let retries = 0;
      hub.on('retry', () => {
        retries += 1;
        if (retries === attempt) caller.abort('not an Error');
      });
      const failed = hub.orders.get(orderId, { signal: caller.signal }).catch((reason: unknown) => [reason]);
      await clock.advance('5m');
      expect(await failed).toEqual(['not an Error']);
      expect(timesAt(mock, 'order')).toHaveLength(attempt);
      expect(clock.sleepers).toBe(0);
    },
  );
});

it('a command that moves an order is sent again after 429, and the order moves once', async () => {
  const { clock, mock, hub } = clientAndMock();
  const { orderId } = mock.createOrder();
  await hub.auth.getToken();
  mock.faults.next('orderStatus', { status: 429, headers: { 'retry-after': '7' } });
  await during(clock, '1m', hub.orders.confirm(orderId));
  const [gap] = gaps(timesAt(mock, 'orderStatus'));
  expect(gap).toBeGreaterThanOrEqual(7000);
  const emitted = mock.emitted().filter((event) => event.orderId === orderId);
  expect(emitted.map(({ eventType }) => eventType)).toEqual(['CREATED', 'CONFIRMED']);
});
