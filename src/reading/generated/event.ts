// Generated from the schemas in src/schemas/ by `npm run generate`. Change the schemas or scripts/readers/ instead.

import { aliased, expected, optional, required } from '../fields.js';
import { objectOf } from '../object-reader.js';
import { AN_OBJECT, type Reader, UNUSABLE } from '../reader.js';
import { id, record, string } from '../value-readers.js';
import { datetime, orderLastEvent } from './shared.js';

export const event: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.eventId;
    if (typeof x !== 'string') {
      y = aliased(x, 'eventId', id, issues, required, o, ['id']);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.eventId = y;
    }
    x = o.eventType;
    if (!orderLastEvent.accepts(x)) {
      y = aliased(x, 'eventType', orderLastEvent, issues, required, o, ['status', 'code']);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.eventType = y;
    }
    x = o.orderId;
    if (typeof x !== 'string') {
      y = required(x, 'orderId', id, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.orderId = y;
    }
    x = o.createdAt;
    if (!datetime.accepts(x)) {
      y = expected(x, 'createdAt', datetime, issues);
      if (y !== x) o.createdAt = y;
    }
    x = o.orderURL;
    if (typeof x !== 'string') {
      y = aliased(x, 'orderURL', string, issues, expected, o, ['orderUrl']);
      if (y !== x) o.orderURL = y;
    }
    x = o.sourceAppId;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'sourceAppId', id, issues);
      if (y !== x) o.sourceAppId = y;
    }
    x = o.virtualBrand;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'virtualBrand', string, issues);
      if (y !== x) o.virtualBrand = y;
    }
    x = o.metadata;
    if (x !== undefined) {
      y = optional(x, 'metadata', record, issues);
      if (y !== x) o.metadata = y;
    }
    return o;
  },
};
