// Generated from the schemas in src/schemas/ by `npm run generate`. Change the schemas or .ci/readers/ instead.

import { defaulted, defaultOf, required } from '../fields.js';
import { AN_OBJECT, type Reader, UNUSABLE } from '../reader.js';
import { number, objectOf, StringReader } from '../value-readers.js';

export const datetime = /* @__PURE__ */ new StringReader({ format: 'datetime' });

export const currency = /* @__PURE__ */ new StringReader({ format: 'currency' });

export const BRL = /* @__PURE__ */ defaultOf('BRL');

export const money: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues, 'value');
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.value;
    if (!Number.isFinite(x) && !required(o, x, 'value', number, issues)) return UNUSABLE;
    x = o.currency;
    if (x !== 'BRL' && !currency.accepts(x)) defaulted(o, x, 'currency', currency, issues, BRL);
    return o;
  },
};

export const serviceServiceType = /* @__PURE__ */ new StringReader({
  values: ['DELIVERY', 'TAKEOUT', 'INDOOR'],
  spellings: {},
});

export const serviceServiceTimingTiming = /* @__PURE__ */ new StringReader({
  values: ['INSTANT', 'SCHEDULED', 'ONDEMAND'],
  spellings: {},
});

export const serviceServicePriority = /* @__PURE__ */ new StringReader({
  values: ['PRIORITY1', 'PRIORITY2', 'PRIORITY3', 'PRIORITY4', 'PRIORITY5'],
});

export const defaultArray = /* @__PURE__ */ defaultOf([]);

export const coordinates: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.latitude;
    if (!Number.isFinite(x) && !required(o, x, 'latitude', number, issues)) return UNUSABLE;
    x = o.longitude;
    if (!Number.isFinite(x) && !required(o, x, 'longitude', number, issues)) return UNUSABLE;
    return o;
  },
};

export const orderLastEvent = /* @__PURE__ */ new StringReader({
  values: [
    'CREATED',
    'CONFIRMED',
    'PREPARATION_REQUESTED',
    'PREPARING',
    'READY_FOR_PICKUP',
    'PICKUP_AREA_ASSIGNED',
    'DISPATCHED',
    'PICKED_UP',
    'DELIVERED',
    'CONCLUDED',
    'CANCELLED',
    'CANCELLATION_REQUESTED',
    'CANCELLATION_REQUEST_DENIED',
    'ORDER_CANCELLATION_REQUEST',
    'CANCELLED_DENIED',
  ],
});
