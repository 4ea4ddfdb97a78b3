import { ENDPOINTS } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { Quota } from '../../src/testing/quota.js';

describe('a quota of two requests per minute', () => {
  it('with a sliding window, frees a slot one minute after its request', () => {
    const quota = new Quota(ENDPOINTS.polling, 'sliding');
    expect([quota.take(0), quota.take(20_000), quota.take(59_999)]).toEqual([true, true, false]);
    expect([quota.remaining(59_999), quota.resetMs(59_999)]).toEqual([0, 1]);
    expect([quota.remaining(60_000), quota.take(60_000), quota.take(60_000)]).toEqual([1, true, false]);
    expect(quota.resetMs(60_000)).toBe(20_000);
  });

  it('with a fixed window, frees all slots at the full minute', () => {
    const quota = new Quota(ENDPOINTS.polling, 'fixed');
    expect([quota.take(50_000), quota.take(59_000), quota.take(59_999)]).toEqual([true, true, false]);
    expect(quota.resetMs(59_999)).toBe(1);
    expect([quota.remaining(60_000), quota.take(60_000), quota.take(61_000)]).toEqual([2, true, true]);
  });

  it('does not count a refused request', () => {
    const quota = new Quota(ENDPOINTS.polling, 'sliding');
    for (let now = 0; now < 60_000; now += 1000) quota.take(now);
    expect([quota.take(60_000), quota.take(61_000)]).toEqual([true, true]);
  });
});
