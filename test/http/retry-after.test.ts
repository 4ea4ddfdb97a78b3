import fc from 'fast-check';
import { type HubClientOptions, type HubError, RateLimitError } from 'opendelivery-client';
import { createMockHub, type FaultLike, ManualClock, type MockHub } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readLimitHeaders } from '../../src/http/limit-headers.js';
import { readRetryAfterMs } from '../../src/http/retry-after.js';
import { clientOf, failure } from './support.js';

/** A client with the default retries and its hub, on one clock. */
function start(options: Partial<HubClientOptions> = {}) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const { hub } = clientOf(mock.baseUrl, {
    clock,
    fetch: mock.fetch,
    ...options,
    retry: { attempts: 4, ...options.retry },
  });
  return { clock, mock, hub };
}

const timesAt = (mock: MockHub, endpoint: string) =>
  mock.requests.filter((entry) => entry.endpoint === endpoint).map(({ monotonicAt }) => monotonicAt);

const gaps = (times: readonly number[]) => times.slice(1).map((time, at) => time - (times[at] ?? 0));

/** Takes chance out of every wait. */
function withoutJitter() {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => random.mockRestore());
}

describe('429', () => {
  const refusal = (retryAfter: string): FaultLike => ({
    type: 'status',
    status: 429,
    headers: { 'retry-after': retryAfter },
  });

  it('is waited out for at least Retry-After in seconds, longer each time it repeats', async () => {
    const { clock, mock, hub } = start();
    mock.faults.next('merchant', refusal('7'), 3);
    const got = hub.merchant.get();
    await clock.advance('5m');
    await got;
    const [first = 0, second = 0, third = 0] = gaps(timesAt(mock, 'merchant'));
    expect(first).toBeGreaterThanOrEqual(7000);
    expect(second).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(second);
    expect(mock.violations()).toEqual([]);
  });

  it('is not waited out any longer than the first time once another answer came between', async () => {
    withoutJitter();
    const { clock, mock, hub } = start({ retry: { minDelayMs: 1000 } });
    const waits: number[] = [];
    hub.on('rateLimited', ({ retryAfterMs }) => void waits.push(retryAfterMs));
    for (const status of [200, 404, 500]) {
      mock.faults.next('order', refusal('7'), 2);
      if (status !== 200) mock.faults.next('order', status);
      const got = hub.orders.get(mock.createOrder().orderId).catch(() => {});
      await clock.advance('5m');
      await got;
    }
    expect(waits).toEqual([7000, 8000, 7000, 8000, 7000, 8000]);
  });

  it('is waited out until Retry-After as a date', async () => {
    const { clock, mock, hub } = start();
    const until = new Date(clock.now() + 90_000);
    mock.faults.next('merchant', refusal(until.toUTCString()));
    const got = hub.merchant.get();
    await clock.advance('5m');
    await got;
    const [, second] = mock.requests;
    expect(second?.at).toBeGreaterThanOrEqual(until.getTime());
    expect(mock.violations()).toEqual([]);
  });

  it('that is longer than deadlineMs rejects at once and shuts that endpoint alone', async () => {
    const { clock, mock, hub } = start();
    const { orderId } = mock.createOrder();
    mock.faults.next('merchant', refusal('600'));
    const refused = await failure(hub.merchant.get(), RateLimitError);
    expect(refused).toMatchObject({ origin: 'hub', attempts: 1, status: 429, retryable: true });
    expect(refused.retryAfterMs).toBeGreaterThanOrEqual(600_000);
    const held = await failure(hub.merchant.get(), RateLimitError);
    expect(held).toMatchObject({ origin: 'local', attempts: 0, endpoint: 'merchant' });
    expect(hub.rateLimits().merchant.remaining).toBe(0);
    expect((await hub.orders.get(orderId)).order.id).toBe(orderId);
    expect((await hub.events.poll()).events).toHaveLength(1);
    expect([clock.monotonic(), timesAt(mock, 'merchant').length]).toEqual([0, 1]);

    await clock.advance('6m');
    // What is left now is less than deadlineMs, and a caller waits for it.
    const got = hub.merchant.get();
    await clock.advance('3m');
    expect(timesAt(mock, 'merchant')).toHaveLength(1);
    await clock.advance('2m');
    expect((await got).stale).toBe(false);
    expect(timesAt(mock, 'merchant')[1]).toBeGreaterThanOrEqual(600_000);
    expect(mock.violations()).toEqual([]);
  });

  it.each(['-3', '1.5', 'soon', '31536000', 'Thu, 01 Jan 2099 00:00:00 GMT', ''])(
    'whose Retry-After is %j is waited out for the window of its endpoint',
    async (retryAfter) => {
      withoutJitter();
      const { clock, mock, hub } = start({ retry: { attempts: 1 } });
      for (const [endpoint, call] of [
        ['merchant', () => hub.merchant.get()],
        ['token', () => hub.auth.getToken()],
      ] as const) {
        mock.faults.next(endpoint, refusal(retryAfter));
        const windowMs = endpoint === 'merchant' ? 60_000 : 3_600_000;
        expect(await failure<HubError>(call(), RateLimitError)).toMatchObject({ retryAfterMs: windowMs });
        await clock.advance(windowMs - 1);
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
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[-+ ]?\d{1,400}(?:[.eE]\d+)?$/),
    fc.stringMatching(/^[MTWFS][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/),
    httpDates,
  );

  it('gives nothing, or a wait of 0 to 24 hours, whatever the hub writes and whatever time it is', () => {
    fc.assert(
      fc.property(texts, fc.option(texts, { nil: undefined }), fc.double(), (value, date, nowMs) => {
        const waitMs = reads(value, date, nowMs);
        return waitMs === undefined || (waitMs >= 0 && waitMs <= DAY_S * 1000);
      }),
      { numRuns: 2000 },
    );
  });

  it('takes digits as seconds up to a day and no further', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 * DAY_S }), fc.constantFrom('', ' ', '\t'), (seconds, blank) => {
        expect(reads(`${blank}${seconds}${blank}`)).toBe(seconds <= DAY_S ? seconds * 1000 : undefined);
      }),
    );
  });

  it("reads a date against the hub's own, however wrong our clock is", () => {
    fc.assert(
      fc.property(instants, fc.nat({ max: DAY_S }), instants, (sentAt, seconds, nowMs) => {
        const until = new Date(sentAt + seconds * 1000).toUTCString();
        expect(reads(until, new Date(sentAt).toUTCString(), nowMs)).toBe(seconds * 1000);
      }),
    );
  });

  it('never reads limit headers as less than nothing, nor a reset beyond its window', () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat({ max: 4e12 }), (value, windowMs, nowMs) => {
        const { remaining = 0, resetMs = 0 } = readLimitHeaders(() => value, windowMs, nowMs);
        return remaining >= 0 && resetMs >= 0 && resetMs <= windowMs;
      }),
      { numRuns: 2000 },
    );
  });
});
