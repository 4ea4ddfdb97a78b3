import { EVENTS_PER_POLL } from '../../../hub/endpoints.js';
import { instantOf } from '../../../schemas/date-time.js';
import type { OrderEvent } from '../../../schemas/event.js';
import { EVENT_TYPES } from '../../../schemas/event-types.js';
import { isSuccess } from '../../exchange.js';
import { formatCount } from '../../format.js';
import {
  asDescribed,
  type Check,
  check,
  differs,
  issuesVerdict,
  kindOf,
  NOTHING,
  notSeen,
  type Verdict,
} from './check.js';
import { examineStatus } from './common.js';
import { exchangeOf, jsonOf, type Observed, pollOf, unknownTypesOf } from './observed.js';

const endpoint = 'polling';

export const POLLING_CHECKS: readonly Check[] = [
  check('polling.status', '§4.3', 'Status of a poll', {
    varies: 'with_the_queue',
    standard: '200 with events, 204 without',
    spec: '200',
    client: 'reads 200 and 204 as success',
    examine: (observed) => {
      const exchange = exchangeOf(observed, endpoint);
      const isEmpty = exchange?.body === '' || pollOf(observed)?.events.length === 0;
      return examineStatus(exchange, isEmpty ? [200, 204] : [200]);
    },
  }),
  check('polling.body', '§4.3', 'Body of a poll', {
    varies: 'with_the_queue',
    standard: 'an array of events; no body with 204',
    spec: 'an array of events',
    client: 'also reads `{ "events": […] }`, `{ "data": […] }`, one event alone, and an empty body',
    examine: examineBody,
  }),
  check('polling.fields', '§2.11', 'Fields of an event', {
    varies: 'with_the_order',
    standard: 'eventId, eventType, orderId, createdAt, orderURL',
    spec: 'the same',
    client:
      'reads other spellings, keeps unknown values, and leaves out an event without usable ids, which cannot be acknowledged',
    examine: (observed) => {
      const poll = pollOf(observed);
      if (!poll || (poll.events.length === 0 && poll.issues.length === 0))
        return notSeen('no event was pending');
      return issuesVerdict(poll.issues, 'each event');
    },
  }),
  check('polling.event_types', '§6.1', 'Types of events', {
    varies: 'always',
    standard: `${EVENT_TYPES.length} types; others are allowed later`,
    spec: `${EVENT_TYPES.length} types`,
    client: 'passes an unknown type to its listeners, and acknowledges it in a request of its own',
    examine: withEvents((events) => {
      const unknown = unknownTypesOf(events);
      return unknown.size === 0
        ? asDescribed(formatCount(new Set(events.map(({ eventType }) => eventType)).size, 'known type'))
        : differs(`${formatCount(unknown.size, 'type')} that the spec does not list`);
    }),
  }),
  check('polling.order', '§6.2', 'Sequence of the events', {
    varies: 'always',
    standard: NOTHING,
    spec: 'not shown; the oldest first is usual',
    client: 'sorts the events of an order by time and stage before it passes them on',
    examine: withEvents(examineSequence),
  }),
  check('polling.repeated', '§6.2', 'An event twice in one poll', {
    varies: 'always',
    standard: NOTHING,
    spec: NOTHING,
    client: 'handles it once',
    examine: withEvents((events) => {
      const repeated = events.length - new Set(events.map(({ eventId }) => eventId)).size;
      return repeated === 0 ? asDescribed('each once') : differs(`${formatCount(repeated, 'event')} twice`);
    }),
  }),
  check('polling.again', '§6.2', 'Events that were not acknowledged', {
    varies: 'always',
    standard: 'come again in every poll until they are acknowledged',
    spec: 'confirmed events are not returned by later polls; so the others are',
    client:
      'relies on it: a listener that fails handles the event at the next poll. At a hub that sends an event once, it is lost',
    examine: examineRedelivery,
  }),
  check('polling.size', '§6.2', 'Events in one poll', {
    varies: 'always',
    standard: `at most ${EVENTS_PER_POLL}`,
    spec: 'not shown',
    client: 'reads up to 8 MiB',
    examine: withEvents(({ length }) =>
      length <= EVENTS_PER_POLL ? asDescribed(`${length}`) : differs(`${length}`),
    ),
  }),
  check('polling.order_url', '§2.11', 'Address of the order (orderURL)', {
    varies: 'always',
    standard: 'the URL of the order at the host',
    spec: '`{base_url}/order/v1/orders/<order_id>`',
    client: 'never requests it, because another host would receive the token; it builds the address itself',
    examine: withEvents((events) => {
      const other = events.filter(({ orderURL, orderId }) => !isAddressOf(orderURL, orderId)).length;
      return other === 0
        ? asDescribed('ends with the id of the order')
        : differs(`missing or without the id of the order in ${formatCount(other, 'event')}`);
    }),
  }),
];

function withEvents(examine: (events: readonly OrderEvent[]) => Verdict) {
  return (observed: Observed): Verdict => {
    const { events = [] } = pollOf(observed) ?? {};
    return events.length === 0 ? notSeen('no event was pending') : examine(events);
  };
}

function examineBody(observed: Observed): Verdict {
  const exchange = exchangeOf(observed, endpoint);
  if (exchange?.body === undefined || !isSuccess(exchange))
    return notSeen('no body of a successful poll was seen');
  if (exchange.body === '') {
    return exchange.status === 200 ? differs('an empty body with status 200') : asDescribed('no body');
  }
  const json = jsonOf(exchange);
  if (json === undefined) return differs('a body that is not JSON');
  return Array.isArray(json) ? asDescribed('an array') : differs(kindOf(json));
}

function examineSequence(events: readonly OrderEvent[]): Verdict {
  // An event that is there twice is a finding of its own.
  const unique = new Map(events.toReversed().map((event) => [event.eventId, event])).values();
  const times = [...unique].map(({ createdAt }) => instantOf(createdAt) ?? Number.NaN).reverse();
  const late = times.filter((time, index) => index > 0 && time < (times[index - 1] as number)).length;
  if (times.length < 2) return notSeen('only one event was pending');
  return late === 0
    ? asDescribed('the oldest first')
    : differs(`${formatCount(late, 'event')} after a newer one`);
}

function examineRedelivery(observed: Observed): Verdict {
  const first = pollOf(observed)?.events ?? [];
  const second = pollOf(observed, 'again')?.events;
  if (first.length === 0) return notSeen('no event was pending');
  if (!second) return notSeen('there was no second poll');
  const ids = new Set(second.map(({ eventId }) => eventId));
  const missing = first.filter(({ eventId }) => !ids.has(eventId)).length;
  return missing === 0
    ? asDescribed(`all ${first.length} came again`)
    : differs(
        `${missing} of ${first.length} did not come again, although nothing was acknowledged by this examination`,
      );
}

/** The address may have any prefix: hosts differ in it. */
function isAddressOf(url: string | undefined, orderId: string): boolean {
  return url !== undefined && URL.canParse(url) && new URL(url).pathname.endsWith(`/orders/${orderId}`);
}
