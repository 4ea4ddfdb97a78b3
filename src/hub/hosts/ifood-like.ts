import { namedHost } from './named-host.js';

const DOCS = 'developer.ifood.com.br';
const MINUTE_MS = 60_000;

/**
 * The rules of iFood's module Order on the wire of the standard: iFood itself has other paths and documents. It wants
 * a poll every 30 s that names the shops (`merchants` of a poller), and all events acknowledged at once.
 */
export const ifoodLike = namedHost(
  'ifood',
  {
    name: 'iFood (its rules, on the wire of the standard)',
    limits: {
      token: { requests: 20, windowMs: MINUTE_MS },
      orderStatus: { requests: 300, windowMs: MINUTE_MS },
    },
    requiresMerchants: true,
    confirmWithinMs: 8 * MINUTE_MS,
    statusMeanings: [
      {
        status: 429,
        endpoints: ['polling'],
        meaning:
          'iFood limits polls that are closer together than 30 s, and since 2 April 2026 those of applications that do not acknowledge all events',
      },
    ],
  },
  {
    'limits.token': `${DOCS}, rate limits: 20 a minute`,
    'limits.orderStatus': `${DOCS}, rate limits: confirm 3000 and requestCancellation 300 a minute; here all commands have the smallest`,
    requiresMerchants: `${DOCS}, module Order: a poll every 30 s with x-polling-merchants`,
    confirmWithinMs: `${DOCS}, module Order: confirm within 8 min`,
    statusMeanings: `${DOCS}, polling overview: every 30 s; strikes for events that are not acknowledged`,
  },
);
