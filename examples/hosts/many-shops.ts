import type { HostProfile } from 'opendelivery-client';
import type { MockHubSwitches } from 'opendelivery-client/testing';

const MINUTE_MS = 60_000;

/**
 * A host with one credential for many shops: a poll names up to 100 of them (`merchants`), and an empty poll is
 * 204. The limits are those that iFood documents (token 20, polling 6000, confirm 3000 and requestCancellation
 * 300 a minute); commands share one limit here, so it is the smallest. The client polls twice a minute all the
 * same. The paths are an example of versions in the middle of a path.
 */
export const profile: HostProfile = {
  name: 'a host with many shops per credential',
  basePath: '',
  paths: {
    token: '/authentication/v1.0/oauth/token',
    polling: '/events/v1.0/events:polling',
    acknowledgment: '/events/v1.0/events/acknowledgment',
    order: '/order/v1.0/orders/{orderId}',
    orderStatus: '/order/v1.0/orders/{orderId}/{status}',
  },
  limits: {
    token: { requests: 20, windowMs: MINUTE_MS },
    polling: { requests: 6000, windowMs: MINUTE_MS },
    orderStatus: { requests: 300, windowMs: MINUTE_MS },
  },
};

/** How its mock hub differs beside the profile. */
export const switches: Partial<MockHubSwitches> = { emptyPoll: '204', order: 'shuffled' };
