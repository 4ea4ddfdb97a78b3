import { ENDPOINTS, type EndpointName } from '../../../hub/endpoints.js';
import { isSuccess } from '../../exchange.js';
import { formatAhead, formatCount, formatWindow } from '../../format.js';
import {
  asDescribed,
  type Check,
  check,
  differs,
  mediaTypeOf,
  NOTHING,
  notSeen,
  shownMediaType,
  shownNumber,
  type Verdict,
} from './check.js';
import { type Exchange, exchangeOf, fieldOf, jsonOf, type Observed, responsesOf } from './observed.js';

const LIMIT = 'x-ratelimit-limit';

export function commonChecks(endpoint: EndpointName): readonly Check[] {
  const { limit, windowMs, section } = ENDPOINTS[endpoint];
  const window = formatWindow(windowMs);
  return [
    check(`${endpoint}.content_type`, section, 'Media type of a response', {
      standard: 'application/json',
      spec: 'JSON',
      client: 'reads the body as JSON, whatever its content type',
      examine: examineContentType,
    }),
    check(`${endpoint}.error_body`, '§7', 'Body of an error', {
      varies: 'with_the_queue',
      standard: 'application/problem+json with `title` (string) and `status` (integer)',
      spec: 'not shown',
      client: 'keeps the first 4096 bytes in the error, whatever they are',
      examine: examineErrorBody,
    }),
    check(`${endpoint}.limit`, '§8', 'Requests allowed (X-RateLimit-Limit)', {
      standard: NOTHING,
      spec: `${limit} per ${window}`,
      client: 'counts its requests by the limit of the spec; it does not need this header',
      examine: (observed) => examineHeader(observed, endpoint, LIMIT, (value) => value === limit),
    }),
    check(`${endpoint}.remaining`, '§8', 'Requests remaining (X-RateLimit-Remaining)', {
      varies: 'always',
      standard: NOTHING,
      spec: 'requests remaining: one less after each request',
      client:
        'sends nothing when none remains, until the reset, also if it has counted fewer requests itself',
      examine: examineRemaining,
    }),
    check(`${endpoint}.reset`, '§8', 'Seconds until the limit resets (X-RateLimit-Reset)', {
      varies: 'always',
      standard: NOTHING,
      spec: `seconds, so at most ${windowMs / 1000}`,
      client:
        'also reads an instant in epoch seconds or milliseconds; ignores a reset that is later than the window',
      examine: (observed) =>
        examineHeader(observed, endpoint, 'x-ratelimit-reset', (value) => value <= windowMs / 1000),
    }),
    check(`${endpoint}.rate_limited`, '§7', 'Refusals within the limit (429)', {
      varies: 'always',
      standard: NOTHING,
      spec: `429 only after ${limit} requests in one ${window}, with Retry-After in seconds`,
      client:
        'sends nothing to the endpoint until Retry-After is over, in seconds or as a date; without it, for the whole window of the limit',
      examine: examineRateLimited,
    }),
  ];
}

export const clockCheck = (endpoint: EndpointName): Check =>
  check(`${endpoint}.clock`, '§8', "The hub's clock (Date)", {
    varies: 'always',
    standard: NOTHING,
    spec: NOTHING,
    client: 'uses it to read a Retry-After that is a date',
    examine: examineClock,
  });

const NO_RESPONSE = 'no response with a valid credential was seen';

function examineContentType(observed: Observed, endpoint: EndpointName): Verdict {
  const bodies = responsesOf(observed, endpoint).filter((each) => isSuccess(each) && each.body !== '');
  if (bodies.length === 0) return notSeen('no successful response with a body was seen');
  const other = bodies.find(({ headers }) => mediaTypeOf(headers['content-type']) !== 'application/json');
  return other ? differs(shownMediaType(other.headers['content-type'])) : asDescribed('application/json');
}

function examineErrorBody(observed: Observed, endpoint: EndpointName): Verdict {
  const errors = responsesOf(observed, endpoint).filter(({ status = 0 }) => status >= 400 && status !== 429);
  if (errors.length === 0) return notSeen('no error was seen');
  const lines = new Set(errors.flatMap((each) => mistakesInError(each)));
  return lines.size > 0 ? differs(...lines) : asDescribed('`title` and `status`');
}

function mistakesInError(exchange: Exchange): string[] {
  const { status, headers, body } = exchange;
  const after = `after status ${status}`;
  if (body === undefined || body === '') return [`no body ${after}`];
  const json = jsonOf(exchange);
  const type = shownMediaType(headers['content-type']);
  if (json === undefined) return [`${type} that is not JSON ${after}`];
  return [
    ...(['application/problem+json', 'application/json'].includes(type) ? [] : [`${type} ${after}`]),
    ...(typeof fieldOf(json, 'title') === 'string' ? [] : [`no \`title\` ${after}`]),
    ...(fieldOf(json, 'status') === status ? [] : [`\`status\` is not ${status} ${after}`]),
  ];
}

/**
 * The responses whose limit headers are examined. For a wrong credential, the hub may not know whose limit it is;
 * a 429 or a failure is a finding of its own.
 */
function counted(observed: Observed, endpoint: EndpointName): readonly Exchange[] {
  return responsesOf(observed, endpoint).filter(
    ({ purpose, status = 0 }) => (purpose === 'first' || purpose === 'again') && status < 429,
  );
}

function examineHeader(
  observed: Observed,
  endpoint: EndpointName,
  name: string,
  isExpected: (value: number) => boolean,
): Verdict {
  const responses = counted(observed, endpoint);
  if (responses.length === 0) return notSeen(NO_RESPONSE);
  const missing = responses.filter(({ headers }) => headers[name] === undefined);
  // One finding is enough for a hub without any of these headers.
  if (name !== LIMIT && responses.every(({ headers }) => headers[LIMIT] === undefined)) {
    return notSeen('there is no X-RateLimit-Limit either');
  }
  if (missing.length > 0)
    return differs(`absent from ${missing.length} of ${formatCount(responses.length, 'response')}`);
  const values = responses.map(({ headers }) => headers[name] ?? '');
  const wrong = values.find((value) => !/^\d+$/.test(value) || !isExpected(Number(value)));
  return wrong === undefined ? asDescribed(shownValue(values[0])) : differs(shownValue(wrong));
}

/** A header is a string in any case: its quotes would say nothing. */
const shownValue = (value: string | undefined) => shownNumber(value).replaceAll('"', '');

function examineRemaining(observed: Observed, endpoint: EndpointName): Verdict {
  const { limit } = ENDPOINTS[endpoint];
  const name = 'x-ratelimit-remaining';
  const single = examineHeader(observed, endpoint, name, (value) => value < limit);
  if (single.result !== 'as_described') return single;
  const values = counted(observed, endpoint).map(({ headers }) => Number(headers[name]));
  const wrong = values.findIndex((value, index) => index > 0 && value !== (values[index - 1] as number) - 1);
  if (wrong > 0) return differs(`${values[wrong - 1]}, and ${values[wrong]} after the next request`);
  return asDescribed(values.join(', then '));
}

function examineRateLimited(observed: Observed, endpoint: EndpointName): Verdict {
  const responses = responsesOf(observed, endpoint);
  if (responses.length === 0) return notSeen(NO_RESPONSE);
  const index = responses.findIndex(({ status }) => status === 429);
  if (index === -1) return asDescribed(`no 429 in ${formatCount(responses.length, 'request')}`);
  const retryAfter = responses[index]?.headers['retry-after'];
  if (index === 0 && retryAfter !== undefined && /^\d+$/.test(retryAfter)) {
    return notSeen('429 at the first request: an earlier run, or another client, has used up the limit');
  }
  return differs(
    `429 at request ${index + 1} of this examination`,
    retryAfter === undefined ? 'without Retry-After' : `Retry-After is ${shownValue(retryAfter)}`,
  );
}

/** A smaller difference of two clocks may come from the network. */
export const MAX_SKEW_MS = 5000;

function examineClock(observed: Observed, endpoint: EndpointName): Verdict {
  const dated = responsesOf(observed, endpoint).find(({ headers }) => headers.date !== undefined);
  if (!dated) return notSeen('no response had a Date header');
  const aheadMs = Date.parse(dated.headers.date ?? '') - dated.at;
  if (Number.isNaN(aheadMs)) return differs('the Date header is not a date');
  if (Math.abs(aheadMs) <= MAX_SKEW_MS) return asDescribed("the same time as this machine's clock");
  return differs(formatAhead(aheadMs));
}

/** It says nothing lasting about a hub. */
export const CONNECTION_FAILED = 'no response: the connection failed';

/** It says something of the endpoint, whatever the order is. */
export const NO_ORDER = 'a body that is not an order';

/**
 * The verdict on the status of one exchange.
 *
 * @param inStandard - statuses that the spec does not allow, but the standard does.
 */
export function examineStatus(
  exchange: Exchange | undefined,
  expected: readonly number[],
  inStandard: readonly number[] = [],
): Verdict {
  if (!exchange) return notSeen('no such request was sent');
  const { status } = exchange;
  if (status === undefined) return differs(CONNECTION_FAILED);
  if (status === 429) return notSeen('the request was refused with 429');
  if (expected.includes(status)) return asDescribed(`status ${status}`);
  return differs(`status ${status}${inStandard.includes(status) ? ', as in the standard' : ''}`);
}

export const status =
  (expected: readonly number[], purpose: Exchange['purpose'] = 'first', inStandard?: readonly number[]) =>
  (observed: Observed, endpoint: EndpointName): Verdict =>
    examineStatus(exchangeOf(observed, endpoint, purpose), expected, inStandard);
