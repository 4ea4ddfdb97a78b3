import fc from 'fast-check';
import { ENDPOINTS, type HostLimit } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { atOurPace, endpointsOf, minIntervalMsOf } from '../src/host-endpoints.js';

const tableOf = (polling: HostLimit) => endpointsOf({ paths: {}, limits: { polling } });

describe('the endpoints of a host', () => {
  it('are the table of the spec itself if the profile changes none', () => {
    expect(endpointsOf({ paths: {}, limits: {} })).toBe(ENDPOINTS);
    expect(atOurPace(ENDPOINTS)).toBe(ENDPOINTS);
  });

  it('have the paths and limits of the profile, and are otherwise those of the spec', () => {
    const limits = { token: { requests: 3, windowMs: 5 } };
    const endpoints = endpointsOf({ paths: { polling: '/events' }, limits });
    expect(endpoints).toEqual({
      ...ENDPOINTS,
      polling: { ...ENDPOINTS.polling, path: '/events' },
      token: { ...ENDPOINTS.token, limit: 3, windowMs: 5 },
    });
    expect(Object.isFrozen(endpoints) && Object.isFrozen(endpoints.token)).toBe(true);
  });
});

it('our pace exceeds neither two polls a minute nor the limit of the host, in any window', () => {
  const limit = fc.record({
    requests: fc.integer({ min: 1, max: 10_000 }),
    windowMs: fc.integer({ min: 1, max: 86_400_000 }),
  });
  fc.assert(
    fc.property(limit, (host) => {
      const { polling } = atOurPace(tableOf(host));
      const most = (windowMs: number) => polling.limit * Math.ceil(windowMs / polling.windowMs);
      expect(most(host.windowMs)).toBeLessThanOrEqual(host.requests);
      expect(most(60_000)).toBeLessThanOrEqual(2);
    }),
    { numRuns: 2000 },
  );
});

it.each([
  [6000, 60_000, 30_000],
  [2, 60_000, 30_000],
  [1, 60_000, 60_000],
  [1, 1000, 30_000],
  [3, 120_000, 60_000],
  [10, 600_000, 60_000],
])('%i polls in %i ms give a shortest interval of %i ms', (requests, windowMs, expected) => {
  expect(minIntervalMsOf(atOurPace(tableOf({ requests, windowMs })))).toBe(expected);
});
