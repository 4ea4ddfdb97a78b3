import { instantOf } from '../../../schemas/date-time.js';
import { formatDuration } from '../../format.js';
import {
  asDescribed,
  type Check,
  check,
  differs,
  issuesVerdict,
  kindOf,
  notSeen,
  shownNumber,
  type Verdict,
} from './check.js';
import { clockCheck, status } from './common.js';
import { exchangeOf, fieldOf, jsonOf, merchantOf, type Observed } from './observed.js';

const endpoint = 'merchant';

export const MERCHANT_CHECKS: readonly Check[] = [
  check('merchant.status', '§4.2', 'Status of the merchant document', {
    standard: '200',
    spec: '200',
    client: 'keeps the last copy for a day if the hub fails',
    examine: status([200]),
  }),
  check('merchant.wrong_key', '§4.2', 'Status for an unknown API key', {
    standard: '403',
    spec: '401',
    client: 'reports 401 and 403 as AuthenticationError',
    examine: status([401], 'wrong_credential', [403]),
  }),
  check('merchant.fields', '§2.2', 'Fields of the merchant document', {
    standard: 'those of the schema Merchant',
    spec: 'those of §2.2 to §2.10',
    client:
      'keeps unknown fields and values, uses the defaults of the standard, and leaves out entries that cannot be used',
    examine: (observed) => {
      const merchant = merchantOf(observed);
      if (merchant) return issuesVerdict(merchant.issues, 'the document');
      const exchange = exchangeOf(observed, endpoint);
      return exchange?.status === 200 && exchange.body !== undefined
        ? differs('a body that is not a merchant document')
        : notSeen('no merchant document was read');
    },
  }),
  check('merchant.ttl', '§2.2', 'How long the document may be kept (TTL)', {
    standard: '500 to 86400 seconds',
    spec: '500 to 86400 seconds',
    client: 'uses the nearest value in this range; without a TTL, 500 seconds',
    examine: inMerchant((json) => {
      const ttl = fieldOf(json, 'TTL');
      if (typeof ttl !== 'number') return differs(shownNumber(ttl));
      const isValid = ttl >= 500 && ttl <= 86_400;
      return (isValid ? asDescribed : differs)(`${shownNumber(ttl)} seconds`);
    }),
  }),
  check('merchant.last_update', '§2.2', 'Time of the last change (lastUpdate)', {
    varies: 'always',
    standard: 'a date-time',
    spec: 'an ISO 8601 timestamp',
    client: 'keeps its copy if an older document comes, and accepts the older one if it comes again',
    examine: inMerchant(examineLastUpdate),
  }),
  check('merchant.again', '§4.2', 'The same document again', {
    varies: 'always',
    standard: 'a change of the content changes lastUpdate',
    spec: 'the client compares lastUpdate',
    client: 'also compares the content, so that no change is missed',
    examine: examineAgain,
  }),
  clockCheck(endpoint),
];

function inMerchant(examine: (json: unknown, at: number) => Verdict) {
  return (observed: Observed): Verdict => {
    const exchange = exchangeOf(observed, endpoint);
    if (!exchange || !merchantOf(observed)) return notSeen('no merchant document was read');
    return examine(jsonOf(exchange), exchange.at);
  };
}

const MAX_AHEAD_MS = 5 * 60_000;

function examineLastUpdate(json: unknown, at: number): Verdict {
  const lastUpdate = fieldOf(json, 'lastUpdate');
  if (typeof lastUpdate !== 'string') return differs(kindOf(lastUpdate));
  const updatedAt = instantOf(lastUpdate);
  if (updatedAt === undefined) return differs('a string that is not a date');
  return updatedAt - at > MAX_AHEAD_MS
    ? differs(`${formatDuration(updatedAt - at)} in the future`)
    : asDescribed('a date that is not in the future');
}

function examineAgain(observed: Observed): Verdict {
  const first = exchangeOf(observed, endpoint);
  const second = exchangeOf(observed, endpoint, 'again');
  if (!merchantOf(observed) || second?.status !== 200) return notSeen('the document was not read twice');
  const [before, after] = [jsonOf(first), jsonOf(second)];
  if (fieldOf(before, 'lastUpdate') !== fieldOf(after, 'lastUpdate')) {
    return differs('another lastUpdate within a minute');
  }
  return JSON.stringify(before) === JSON.stringify(after)
    ? asDescribed('the same content')
    : differs('other content with the same lastUpdate');
}
