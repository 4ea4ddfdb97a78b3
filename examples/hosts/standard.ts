import type { HostProfile } from 'opendelivery-client';
import type { MockHubSwitches } from 'opendelivery-client/testing';

/**
 * A host that is as the published standard (OpenDelivery v1.7.1): its paths have no prefix, an empty poll is
 * 204, errors are `application/problem+json` with `title` and `status`, and an invalid API key is 403.
 * A token of six hours is what several hosts document.
 */
export const profile: HostProfile = { name: 'a host as in the standard', basePath: '' };

/** How its mock hub differs beside the profile. */
export const switches: Partial<MockHubSwitches> = { tokenLifetimeMs: 6 * 3_600_000, badKeyStatus: 403 };
