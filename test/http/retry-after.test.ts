import fc from 'fast-check';
import { type HubError, memoryState, RateLimitError } from 'opendelivery-client';
import type { FaultLike } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { readLimitHeaders, readRetryAfterMs } from '../../src/quota/headers.js';
import { runs } from '../runs.js';
import { anyCharacter } from '../strings.js';
import { during } from '../support.js';
import { clientAndMock, clientOf, failure, fixRandom, gaps, timesAt } from './support.js';

describe('429', () => {
  const refusal = (retryAfter: string): FaultLike => ({
    type: 'status',
    status: 429,
    headers: { 'retry-after': retryAfter },
  });

  it('is followed by a wait of at least Retry-After in seconds, longer each time it repeats', async () => {
    const { clock, mock, hub } = clientAndMock();
    mock.faults.next('merchant', refusal('7'), 3);
    await during(clock, '5m', hub.merchant.get());
    const [first = 0, second = 0, third = 0] = gaps(timesAt(mock, 'merchant'));
    expect(first).toBeGreaterThanOrEqual(7000);
    expect(second).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(second);
    expect(mock.violations()).toEqual([]);
  });

  it('is followed by the first wait again once there was another response', async () => {
    fixRandom(0);
    const { clock, mock, hub } = clientAndMock({ retry: { minDelayMs: 1000 } });
    const waits: number[] = [];
    hub.on('rateLimited', ({ retryAfterMs }) => void waits.push(retryAfterMs));
    for (const status of [200, 404, 500]) {
      mock.faults.next('order', refusal('7'), 2);
      if (status !== 200) mock.faults.next('order', status);
      const { orderId } = mock.createOrder();
      await during(clock, '5m', hub.orders.get(orderId)).catch(() => {});
    }
    expect(waits).toEqual([7000, 8000, 7000, 8000, 7000, 8000]);
  });

  it('counts once if several requests were in flight together', async () => {
    const { clock, mock, hub } = clientAndMock();
    const waits: number[] = [];
    hub.on('rateLimited', ({ retryAfterMs }) => void waits.push(retryAfterMs));
    await hub.auth.getToken();
    mock.faults.next('order', refusal('10'), 16);
    const requests = Array.from({ length: 16 }, () => hub.orders.get(mock.createOrder().orderId));
    await during(clock, '5m', Promise.all(requests));
    expect(waits.length).toBe(16);
    expect(Math.max(...waits)).toBeLessThan(11_000);
  });

  it('is followed by a wait until Retry-After as a date', async () => {
    const { clock, mock, hub } = clientAndMock();
    const until = new Date(clock.now() + 90_000);
    mock.faults.next('merchant', refusal(until.toUTCString()));
    await during(clock, '5m', hub.merchant.get());
    const [, second] = mock.requests;
    expect(second?.at).toBeGreaterThanOrEqual(until.getTime());
    expect(mock.violations()).toEqual([]);
  });

  it('with a Retry-After beyond deadlineMs rejects at once and blocks only that endpoint', async () => {
    const { clock, mock, hub } = clientAndMock();
    const { orderId } = mock.createOrder();
    mock.faults.next('merchant', refusal('600'));
    const refused = await failure(hub.merchant.get(), RateLimitError);
    expect(refused).toMatchObject({ origin: 'hub', attempts: 1, status: 429, retryable: true });
    expect(refused.retryAfterMs).toBeGreaterThanOrEqual(600_000);
    const blocked = await failure(hub.merchant.get(), RateLimitError);
    expect(blocked).toMatchObject({ origin: 'local', attempts: 0, endpoint: 'merchant' });
    expect(hub.rateLimits().merchant.remaining).toBe(0);
    expect((await hub.orders.get(orderId)).order.id).toBe(orderId);
    expect((await hub.events.poll()).events).toHaveLength(1);
    expect([clock.monotonic(), timesAt(mock, 'merchant').length]).toEqual([0, 1]);

    await clock.advance('6m');
    // The rest of the wait is shorter than deadlineMs now, so a caller waits.
    const got = hub.merchant.get();
    await clock.advance('3m');
    expect(timesAt(mock, 'merchant')).toHaveLength(1);
    await clock.advance('2m');
    expect((await got).stale).toBe(false);
    expect(timesAt(mock, 'merchant')[1]).toBeGreaterThanOrEqual(600_000);
    expect(mock.violations()).toEqual([]);
  });

  it('rejects at once who cannot wait that long, also while others wait', async () => {
    const { clock, mock, hub } = clientAndMock();
    const [one, other] = [mock.createOrder(), mock.createOrder()];
    mock.faults.next('order', refusal('200'));
    const refused = hub.orders.get(one.orderId);
    await clock.advance('1s');
    const patient = hub.orders.get(other.orderId);
    await clock.advance('1s');
    const impatient = hub.orders.get(one.orderId, { retry: { deadlineMs: 5000 } });
    const rejection = { origin: 'local', attempts: 0, endpoint: 'order' };
    expect(await failure(impatient, RateLimitError)).toMatchObject(rejection);
    await clock.advance('5m');
    expect([(await refused).order.id, (await patient).order.id]).toEqual([one.orderId, other.orderId]);
  });

  it('blocks the endpoint for every client that shares the state', async () => {
    const state = memoryState();
    const { clock, mock, hub } = clientAndMock({ state });
    const { hub: other } = clientOf(mock.baseUrl, { clock, state, fetch: mock.fetch });
    mock.faults.next('merchant', refusal('600'));
    await failure(hub.merchant.get(), RateLimitError);
    expect(await failure(other.merchant.get(), RateLimitError)).toMatchObject({ origin: 'local' });
    expect(timesAt(mock, 'merchant')).toHaveLength(1);
  });

  it.each(['-3', '1.5', 'soon', '31536000', 'Thu, 01 Jan 2099 00:00:00 GMT', ''])(
    'with a Retry-After of %j is followed by a wait of one window, and of five minutes at the token endpoint',
    async (retryAfter) => {
      fixRandom(0);
      const { clock, mock, hub } = clientAndMock({ retry: { attempts: 1 } });
      for (const [endpoint, call] of [
        ['merchant', () => hub.merchant.get()],
        ['token', () => hub.auth.getToken()],
      ] as const) {
        mock.faults.next(endpoint, refusal(retryAfter));
        const waitMs = endpoint === 'merchant' ? 60_000 : 300_000;
        expect(await failure<HubError>(call(), RateLimitError)).toMatchObject({ retryAfterMs: waitMs });
        await clock.advance(waitMs - 1);
        const next = call();
        await clock.advance(0);
        expect(timesAt(mock, endpoint)).toHaveLength(1);
        await clock.advance(1);
        await next;
        expect(timesAt(mock, endpoint)).toHaveLength(2);
      }
    },
  );
});

describe('readRetryAfterMs', () => {
  const DAY_S = 86_400;
  const reads = (retryAfter: string, date?: string, nowMs = 0) =>
    readRetryAfterMs(
      (name) => (name === 'retry-after' ? retryAfter : name === 'date' ? date : undefined),
      nowMs,
    );
  const instants = fc
    .date({ min: new Date('1995-01-01'), max: new Date('2060-01-01'), noInvalidDate: true })
    .map((date) => Math.floor(date.getTime() / 1000) * 1000);
  const httpDates = instants.map((at) => new Date(at).toUTCString());
  const headers = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.stringMatching(/^[-+ ]?\d{1,400}(?:[.eE]\d+)?$/),
    fc.stringMatching(/^[MTWFS][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/),
    httpDates,
  );

  it('returns undefined or a wait of 0 to 24 hours, for any header and any time', () => {
    fc.assert(
      fc.property(headers, fc.option(headers, { nil: undefined }), fc.double(), (value, date, nowMs) => {
        const waitMs = reads(value, date, nowMs);
        expect(waitMs === undefined || (waitMs >= 0 && waitMs <= DAY_S * 1000)).toBe(true);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('reads digits as seconds, up to one day', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 * DAY_S }), fc.constantFrom('', ' ', '\t'), (seconds, blank) => {
        expect(reads(`${blank}${seconds}${blank}`)).toBe(seconds <= DAY_S ? seconds * 1000 : undefined);
      }),
      { examples: [[DAY_S, '']] },
    );
  });

  it("compares a date with the hub's own, however wrong our clock is", () => {
    fc.assert(
      fc.property(instants, fc.nat({ max: DAY_S }), instants, (sentAt, seconds, nowMs) => {
        const until = new Date(sentAt + seconds * 1000).toUTCString();
        expect(reads(until, new Date(sentAt).toUTCString(), nowMs)).toBe(seconds * 1000);
      }),
    );
  });

  it('never returns a negative limit header, nor a reset beyond its window', () => {
    fc.assert(
      fc.property(headers, fc.nat(), fc.nat({ max: 4e12 }), (value, windowMs, nowMs) => {
        const { remaining = 0, resetMs = 0 } = readLimitHeaders(() => value, windowMs, nowMs);
        expect(remaining >= 0 && resetMs >= 0 && resetMs <= windowMs).toBe(true);
      }),
      { numRuns: runs(2000) },
    );
  });
});
