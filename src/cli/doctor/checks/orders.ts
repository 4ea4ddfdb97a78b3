import { asDescribed, type Check, check, differs, issuesVerdict, notSeen } from './check.js';
import { examineStatus, NO_ORDER, status } from './common.js';
import { exchangeOf, fieldOf, jsonOf, orderOf, pollOf } from './observed.js';

const wrongToken = (endpoint: 'order' | 'acknowledgment') =>
  check(`${endpoint}.wrong_token`, '§5', 'Status for an unknown token', {
    standard: '401',
    spec: '401',
    client:
      'renews the token once after 401, and reports 403 at once. A hub that accepts any token protects no order',
    examine: status([401], 'wrong_credential'),
  });

export const ORDER_CHECKS: readonly Check[] = [
  check('order.status', '§4.5', 'Status of an order', {
    varies: 'with_the_queue',
    standard: '200; 404 for an unknown order',
    spec: 'not shown',
    client: 'reports 404 as NotFoundError, other 4xx as their own errors; 5xx is tried again',
    examine: (observed) => {
      const { events = [] } = pollOf(observed) ?? {};
      return examineStatus(exchangeOf(observed, 'order'), events.length > 0 ? [200] : [404]);
    },
  }),
  check('order.fields', '§2.12', 'Fields of an order', {
    varies: 'with_the_order',
    standard: 'those of the schema Order, with totals that add up',
    spec: 'not shown',
    client: 'reads what is there; each deviation is an issue of the order',
    examine: (observed) => {
      const order = orderOf(observed);
      if (order) return issuesVerdict(order.issues, 'the order');
      const exchange = exchangeOf(observed, 'order');
      return exchange?.status === 200 ? differs(NO_ORDER) : notSeen('no order was read');
    },
  }),
  check('order.id', '§4.5', 'Id of the order', {
    standard: 'the id that was requested',
    spec: 'not shown',
    client: 'passes the order on as it is',
    examine: (observed) => {
      const requested = pollOf(observed)?.events[0]?.orderId;
      const json = jsonOf(exchangeOf(observed, 'order'));
      if (requested === undefined || !orderOf(observed)) return notSeen('no order was read');
      return fieldOf(json, 'id') === requested ? asDescribed('the same') : differs('another one, or none');
    },
  }),
  wrongToken('order'),
  check('acknowledgment.unknown_event', '§4.4', 'Acknowledgment of an unknown event', {
    standard: '400 or 404 for the whole request',
    spec: 'not shown',
    client:
      'finds the refused event by halving the request; at a hub that accepts anything, a mistake stays unnoticed',
    examine: status([400, 404]),
  }),
  wrongToken('acknowledgment'),
  check('orderStatus.unknown_order', '§4.5', 'Command for an unknown order', {
    standard: '404',
    spec: 'not shown',
    client: 'reports it; after 5xx the result of a command is unknown, and it is not sent again',
    examine: status([404]),
  }),
];
