// Generated from the schemas in src/schemas/ by `npm run generate`. Change the schemas or .ci/readers/ instead.

import { aliased, expected, optional, required } from '../fields.js';
import { AN_OBJECT, type Reader, UNUSABLE } from '../reader.js';
import { id, objectOf, record, string } from '../value-readers.js';
import { datetime, orderLastEvent } from './shared.js';

export const event: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.eventId;
    if (typeof x !== 'string' && !aliased(o, x, 'eventId', id, issues, required, ['id'])) return UNUSABLE;
    x = o.eventType;
    if (
      !orderLastEvent.accepts(x) &&
      !aliased(o, x, 'eventType', orderLastEvent, issues, required, ['status', 'code'])
    )
      return UNUSABLE;
    x = o.orderId;
    if (typeof x !== 'string' && !required(o, x, 'orderId', id, issues)) return UNUSABLE;
    x = o.createdAt;
    if (!datetime.accepts(x)) expected(o, x, 'createdAt', datetime, issues);
    x = o.orderURL;
    if (typeof x !== 'string') aliased(o, x, 'orderURL', string, issues, expected, ['orderUrl']);
    x = o.sourceAppId;
    if (x !== undefined && typeof x !== 'string') optional(o, x, 'sourceAppId', id, issues);
    x = o.virtualBrand;
    if (x !== undefined && typeof x !== 'string') optional(o, x, 'virtualBrand', string, issues);
    x = o.metadata;
    if (x !== undefined) optional(o, x, 'metadata', record, issues);
    return o;
  },
};
