import fc from 'fast-check';
import { ConfigurationError, HubClient, isHubError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { runs } from '../runs.js';
import { oneOrder } from './flow.js';
import { DIFFERENCES, profiles } from './profiles.js';

describe('client and mock hub', () => {
  it('agree if they have the same profile, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(profiles, async (profile) => {
        const { mock, result, error } = await oneOrder(profile, profile);
        expect(error).toBeUndefined();
        expect(result).toHaveLength(1);
        expect(mock.acknowledged().map(({ eventType }) => eventType)).toEqual(['CREATED']);
        expect(mock.emitted().at(-1)?.eventType).toBe('CONFIRMED');
        expect(mock.violations()).toEqual([]);
      }),
      { numRuns: runs(400) },
    );
  });

  it.each(DIFFERENCES)(
    'disagree if they differ in $field, with an error that names the endpoint $endpoint',
    async ({ endpoint, of }) => {
      await fc.assert(
        fc.asyncProperty(profiles, async (profile) => {
          const ofMock = of(profile);
          // `tokenUrl` that the other one has removed is not the difference that is meant.
          const ofClient =
            'tokenUrl' in ofMock && ofMock.tokenUrl === undefined
              ? { ...profile, tokenUrl: undefined }
              : profile;
          const { mock, error } = await oneOrder(ofClient, ofMock);
          expect(isHubError(error) && 'endpoint' in error && error.endpoint).toBe(endpoint);
          expect(mock.acknowledged()).toEqual([]);
        }),
        { numRuns: runs(40) },
      );
    },
  );

  it('say what a limit of the host means for the interval of pollers', () => {
    const polling = (requests: number, windowMs: number) => ({ limits: { polling: { requests, windowMs } } });
    const hubWith = (profile: object) =>
      new HubClient({ baseUrl: 'https://hub.example', profile, logger: false });
    for (const [requests, windowMs, minMs] of [
      [6000, 60_000, 30_000],
      [2, 60_000, 30_000],
      [1, 1000, 30_000],
      [1, 60_000, 60_000],
      [10, 600_000, 60_000],
      [3, 120_000, 60_000],
    ] as const) {
      const hub = hubWith(polling(requests, windowMs));
      expect(() => hub.poller({ intervalMs: minMs })).not.toThrow();
      const tooShort = () => hub.poller({ intervalMs: minMs - 1 });
      expect(tooShort).toThrow(ConfigurationError);
      expect(tooShort).toThrow(/^intervalMs: must be/);
    }
  });
});
