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
      { numRuns: runs(400, 16) },
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
        { numRuns: runs(40, 8) },
      );
    },
  );

  it('refuse an interval that the limit of the host does not allow', () => {
    const profile = { limits: { polling: { requests: 3, windowMs: 120_000 } } };
    const hub = new HubClient({ baseUrl: 'https://hub.example', profile, logger: false });
    expect(() => hub.poller({ intervalMs: 60_000 })).not.toThrow();
    const tooShort = () => hub.poller({ intervalMs: 59_999 });
    expect(tooShort).toThrow(ConfigurationError);
    expect(tooShort).toThrow(
      'intervalMs: must be at least 60000 ms, because the profile of the host limits polling',
    );
  });
});
