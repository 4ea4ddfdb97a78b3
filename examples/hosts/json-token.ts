import type { HostProfile } from 'opendelivery-client';
import type { MockHubSwitches } from 'opendelivery-client/testing';

/**
 * A host that takes the token request as JSON, with field names as in drafts of the standard before rc.10
 * (camelCase), and with the scope `od.all`. Public clients of such hosts send it so. The base path `/api` is an
 * example: hosts have it with and without.
 */
export const profile: HostProfile = {
  name: 'a host with JSON token requests',
  basePath: '/api',
  token: {
    body: 'json',
    fields: { clientId: 'clientId', clientSecret: 'clientSecret', grantType: 'grantType' },
    extra: { scope: 'od.all' },
  },
};

/** How its mock hub differs beside the profile. */
export const switches: Partial<MockHubSwitches> = { emptyPoll: '[]', expiresIn: 'text' };
