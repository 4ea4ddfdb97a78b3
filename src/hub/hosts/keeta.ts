import { namedHost } from './named-host.js';

const DOCS = 'api-docs.mykeeta.com, OpenDelivery 1.0.7 over the standard 1.5.0';

/**
 * Keeta. How it signs requests is not in the documents that we know: add the function to the profile,
 * `{ ...keeta.profile, sign }`. It wants every event acknowledged when it is stored, as an inbox does.
 */
export const keeta = namedHost(
  'keeta',
  {
    name: 'Keeta',
    token: { per: 'application' },
    requiresSignature: true,
    limits: { polling: { requests: 2, windowMs: 60_000 } },
    eventTypes: ['USER_REFUND_REQUEST', 'REFUNDED', 'REFUND_FAILED'],
    eventLifetimeMs: 15_000_000,
    confirmWithinMs: 300_000,
    statusMeanings: [
      { status: 422, endpoints: ['orderStatus'], meaning: 'Keeta also answers this to a repeated confirm' },
      {
        status: 429,
        endpoints: ['polling'],
        meaning:
          'Keeta allows two polls a minute for each token, and an application has one token for all shops',
      },
    ],
  },
  {
    'token.per': `${DOCS}: one token for each application`,
    requiresSignature: `${DOCS}: a signature on every request`,
    'limits.polling': `${DOCS}: two polls a minute for each token`,
    eventTypes: `${DOCS}: its own events`,
    eventLifetimeMs: `${DOCS}: events live 4 h 10 min`,
    confirmWithinMs: `${DOCS}: confirm within 5 min`,
    statusMeanings: `${DOCS}: a repeated confirm is 422; two polls a minute for each token`,
  },
);
