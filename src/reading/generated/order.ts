// Generated from the schemas in src/schemas/ by `npm run generate`. Change the schemas or scripts/readers/ instead.

import { aliased, defaulted, expected, identifying, optional } from '../fields.js';
import { listOf } from '../list-reader.js';
import { objectOf } from '../object-reader.js';
import { AN_OBJECT, type Reader, UNUSABLE } from '../reader.js';
import { boolean, id, number, StringReader, string } from '../value-readers.js';
import {
  coordinates,
  currency,
  datetime,
  defaultArray2,
  itemUnit,
  money,
  orderLastEvent,
  serviceServicePriority,
  serviceServiceTimingTiming,
  serviceServiceType,
} from './shared.js';

const orderCategory = /* @__PURE__ */ new StringReader({
  values: ['FOOD', 'GROCERY', 'DRUGSTORE', 'PETSTORE'],
});

const orderMerchant: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.id;
    if (typeof x !== 'string') {
      y = expected(x, 'id', id, issues);
      if (y !== x) o.id = y;
    }
    x = o.name;
    if (typeof x !== 'string') {
      y = expected(x, 'name', string, issues);
      if (y !== x) o.name = y;
    }
    return o;
  },
};

const orderItemsIndoor: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.productionPoint;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'productionPoint', string, issues);
      if (y !== x) o.productionPoint = y;
    }
    return o;
  },
};

const orderItemsOptions: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.index;
    if (x !== undefined && !Number.isFinite(x)) {
      y = optional(x, 'index', number, issues);
      if (y !== x) o.index = y;
    }
    x = o.id;
    if (typeof x !== 'string') {
      y = expected(x, 'id', id, issues);
      if (y !== x) o.id = y;
    }
    x = o.name;
    if (typeof x !== 'string') {
      y = expected(x, 'name', string, issues);
      if (y !== x) o.name = y;
    }
    x = o.externalCode;
    if (typeof x !== 'string') {
      y = expected(x, 'externalCode', id, issues);
      if (y !== x) o.externalCode = y;
    }
    x = o.unit;
    if (x !== 'UN' && x !== 'KG' && x !== 'L' && x !== 'OZ' && x !== 'LB' && x !== 'GAL') {
      y = expected(x, 'unit', itemUnit, issues);
      if (y !== x) o.unit = y;
    }
    x = o.ean;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'ean', id, issues);
      if (y !== x) o.ean = y;
    }
    x = o.quantity;
    if (!Number.isFinite(x)) {
      y = expected(x, 'quantity', number, issues);
      if (y !== x) o.quantity = y;
    }
    x = o.unitPrice;
    y = expected(x, 'unitPrice', money, issues);
    if (y !== x) o.unitPrice = y;
    x = o.originalPrice;
    if (x !== undefined) {
      y = optional(x, 'originalPrice', money, issues);
      if (y !== x) o.originalPrice = y;
    }
    x = o.subtotalPrice;
    if (x !== undefined) {
      y = optional(x, 'subtotalPrice', money, issues);
      if (y !== x) o.subtotalPrice = y;
    }
    x = o.totalPrice;
    y = aliased(x, 'totalPrice', money, issues, expected, o, ['price']);
    if (y !== x) o.totalPrice = y;
    x = o.specialInstructions;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'specialInstructions', string, issues);
      if (y !== x) o.specialInstructions = y;
    }
    return o;
  },
};

const orderItemsOptionsList: Reader = /* @__PURE__ */ listOf(orderItemsOptions);

const orderItems: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.id;
    if (typeof x !== 'string') {
      y = expected(x, 'id', id, issues);
      if (y !== x) o.id = y;
    }
    x = o.index;
    if (x !== undefined && !Number.isFinite(x)) {
      y = optional(x, 'index', number, issues);
      if (y !== x) o.index = y;
    }
    x = o.name;
    if (typeof x !== 'string') {
      y = expected(x, 'name', string, issues);
      if (y !== x) o.name = y;
    }
    x = o.externalCode;
    if (typeof x !== 'string') {
      y = expected(x, 'externalCode', id, issues);
      if (y !== x) o.externalCode = y;
    }
    x = o.unit;
    if (x !== 'UN' && x !== 'KG' && x !== 'L' && x !== 'OZ' && x !== 'LB' && x !== 'GAL') {
      y = expected(x, 'unit', itemUnit, issues);
      if (y !== x) o.unit = y;
    }
    x = o.ean;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'ean', id, issues);
      if (y !== x) o.ean = y;
    }
    x = o.quantity;
    if (!Number.isFinite(x)) {
      y = expected(x, 'quantity', number, issues);
      if (y !== x) o.quantity = y;
    }
    x = o.specialInstructions;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'specialInstructions', string, issues);
      if (y !== x) o.specialInstructions = y;
    }
    x = o.unitPrice;
    y = expected(x, 'unitPrice', money, issues);
    if (y !== x) o.unitPrice = y;
    x = o.originalPrice;
    if (x !== undefined) {
      y = optional(x, 'originalPrice', money, issues);
      if (y !== x) o.originalPrice = y;
    }
    x = o.scalePriceApplied;
    if (x !== undefined && typeof x !== 'boolean') {
      y = optional(x, 'scalePriceApplied', boolean, issues);
      if (y !== x) o.scalePriceApplied = y;
    }
    x = o.optionsPrice;
    if (x !== undefined) {
      y = optional(x, 'optionsPrice', money, issues);
      if (y !== x) o.optionsPrice = y;
    }
    x = o.subtotalPrice;
    if (x !== undefined) {
      y = optional(x, 'subtotalPrice', money, issues);
      if (y !== x) o.subtotalPrice = y;
    }
    x = o.totalPrice;
    y = expected(x, 'totalPrice', money, issues);
    if (y !== x) o.totalPrice = y;
    x = o.indoor;
    if (x !== undefined) {
      y = optional(x, 'indoor', orderItemsIndoor, issues);
      if (y !== x) o.indoor = y;
    }
    x = o.options;
    if (x !== undefined) {
      y = optional(x, 'options', orderItemsOptionsList, issues);
      if (y !== x) o.options = y;
    }
    return o;
  },
};

const orderItemsList: Reader = /* @__PURE__ */ listOf(orderItems);

const orderOtherFeesType = /* @__PURE__ */ new StringReader({
  values: ['DELIVERY_FEE', 'SERVICE_FEE', 'TIP', 'MIN_ORDER_FEE'],
});

const orderOtherFeesReceivedBy = /* @__PURE__ */ new StringReader({
  values: ['MARKETPLACE', 'MERCHANT', 'LOGISTIC_SERVICES'],
});

const orderOtherFees: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.name;
    if (typeof x !== 'string') {
      y = expected(x, 'name', string, issues);
      if (y !== x) o.name = y;
    }
    x = o.type;
    if (x !== 'DELIVERY_FEE' && x !== 'SERVICE_FEE' && x !== 'TIP' && x !== 'MIN_ORDER_FEE') {
      y = expected(x, 'type', orderOtherFeesType, issues);
      if (y !== x) o.type = y;
    }
    x = o.receivedBy;
    if (x !== 'MARKETPLACE' && x !== 'MERCHANT' && x !== 'LOGISTIC_SERVICES') {
      y = expected(x, 'receivedBy', orderOtherFeesReceivedBy, issues);
      if (y !== x) o.receivedBy = y;
    }
    x = o.receiverDocument;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'receiverDocument', string, issues);
      if (y !== x) o.receiverDocument = y;
    }
    x = o.price;
    y = expected(x, 'price', money, issues);
    if (y !== x) o.price = y;
    x = o.observation;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'observation', string, issues);
      if (y !== x) o.observation = y;
    }
    return o;
  },
};

const orderOtherFeesList: Reader = /* @__PURE__ */ listOf(orderOtherFees);

const orderDiscountsTarget = /* @__PURE__ */ new StringReader({ values: ['CART', 'DELIVERY_FEE', 'ITEM'] });

const orderDiscountsSponsorshipValuesName = /* @__PURE__ */ new StringReader({
  values: ['MARKETPLACE', 'MERCHANT', 'CHAIN'],
});

const orderDiscountsSponsorshipValues: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.name;
    if (x !== 'MARKETPLACE' && x !== 'MERCHANT' && x !== 'CHAIN') {
      y = expected(x, 'name', orderDiscountsSponsorshipValuesName, issues);
      if (y !== x) o.name = y;
    }
    x = o.amount;
    y = expected(x, 'amount', money, issues);
    if (y !== x) o.amount = y;
    x = o.discountCode;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'discountCode', string, issues);
      if (y !== x) o.discountCode = y;
    }
    return o;
  },
};

const orderDiscountsSponsorshipValuesList: Reader = /* @__PURE__ */ listOf(orderDiscountsSponsorshipValues);

const orderDiscounts: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.amount;
    y = expected(x, 'amount', money, issues);
    if (y !== x) o.amount = y;
    x = o.target;
    if (x !== 'CART' && x !== 'DELIVERY_FEE' && x !== 'ITEM') {
      y = expected(x, 'target', orderDiscountsTarget, issues);
      if (y !== x) o.target = y;
    }
    x = o.targetId;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'targetId', id, issues);
      if (y !== x) o.targetId = y;
    }
    x = o.sponsorshipValues;
    y = defaulted(x, 'sponsorshipValues', orderDiscountsSponsorshipValuesList, issues, defaultArray2);
    if (y !== x) o.sponsorshipValues = y;
    return o;
  },
};

const orderDiscountsList: Reader = /* @__PURE__ */ listOf(orderDiscounts);

const orderTotal: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.itemsPrice;
    y = aliased(x, 'itemsPrice', money, issues, expected, o, ['items']);
    if (y !== x) o.itemsPrice = y;
    x = o.otherFees;
    y = expected(x, 'otherFees', money, issues);
    if (y !== x) o.otherFees = y;
    x = o.discount;
    y = expected(x, 'discount', money, issues);
    if (y !== x) o.discount = y;
    x = o.orderAmount;
    y = expected(x, 'orderAmount', money, issues);
    if (y !== x) o.orderAmount = y;
    return o;
  },
};

const orderPaymentsMethodsType = /* @__PURE__ */ new StringReader({ values: ['PREPAID', 'PENDING'] });

const orderPaymentsMethodsMethod = /* @__PURE__ */ new StringReader({
  values: [
    'CREDIT',
    'DEBIT',
    'MEAL_VOUCHER',
    'FOOD_VOUCHER',
    'DIGITAL_WALLET',
    'PIX',
    'CASH',
    'CREDIT_DEBIT',
    'COUPON',
    'REDEEM',
    'PREPAID_REDEEM',
    'OTHER',
  ],
});

const orderPaymentsMethodsBrand = /* @__PURE__ */ new StringReader({
  values: [
    'VISA',
    'MASTERCARD',
    'DINERS',
    'AMEX',
    'HIPERCARD',
    'ELO',
    'AURA',
    'DISCOVER',
    'VR_BENEFICIOS',
    'SODEXO',
    'TICKET',
    'GOOD_CARD',
    'BANESCARD',
    'SOROCARD',
    'POLICARD',
    'VALECARD',
    'AGICARD',
    'JCB',
    'CREDSYSTEM',
    'CABAL',
    'GREEN_CARD',
    'VEROCHEQUE',
    'AVISTA',
    'OTHER',
  ],
});

const orderPaymentsMethodsTransaction: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.authorizationCode;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'authorizationCode', string, issues);
      if (y !== x) o.authorizationCode = y;
    }
    x = o.acquirerDocument;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'acquirerDocument', string, issues);
      if (y !== x) o.acquirerDocument = y;
    }
    return o;
  },
};

const orderPaymentsMethods: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.value;
    if (!Number.isFinite(x)) {
      y = expected(x, 'value', number, issues);
      if (y !== x) o.value = y;
    }
    x = o.currency;
    if (!currency.accepts(x)) {
      y = expected(x, 'currency', currency, issues);
      if (y !== x) o.currency = y;
    }
    x = o.type;
    if (x !== 'PREPAID' && x !== 'PENDING') {
      y = expected(x, 'type', orderPaymentsMethodsType, issues);
      if (y !== x) o.type = y;
    }
    x = o.method;
    if (!orderPaymentsMethodsMethod.accepts(x)) {
      y = expected(x, 'method', orderPaymentsMethodsMethod, issues);
      if (y !== x) o.method = y;
    }
    x = o.brand;
    if (x !== undefined && !orderPaymentsMethodsBrand.accepts(x)) {
      y = optional(x, 'brand', orderPaymentsMethodsBrand, issues);
      if (y !== x) o.brand = y;
    }
    x = o.methodInfo;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'methodInfo', string, issues);
      if (y !== x) o.methodInfo = y;
    }
    x = o.transaction;
    if (x !== undefined) {
      y = optional(x, 'transaction', orderPaymentsMethodsTransaction, issues);
      if (y !== x) o.transaction = y;
    }
    x = o.changeFor;
    if (x !== undefined && !Number.isFinite(x)) {
      y = optional(x, 'changeFor', number, issues);
      if (y !== x) o.changeFor = y;
    }
    return o;
  },
};

const orderPaymentsMethodsList: Reader = /* @__PURE__ */ listOf(orderPaymentsMethods);

const orderPayments: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.prepaid;
    if (!Number.isFinite(x)) {
      y = expected(x, 'prepaid', number, issues);
      if (y !== x) o.prepaid = y;
    }
    x = o.pending;
    if (!Number.isFinite(x)) {
      y = expected(x, 'pending', number, issues);
      if (y !== x) o.pending = y;
    }
    x = o.methods;
    y = defaulted(x, 'methods', orderPaymentsMethodsList, issues, defaultArray2);
    if (y !== x) o.methods = y;
    return o;
  },
};

const orderTaxInvoice: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.issued;
    if (x !== undefined && typeof x !== 'boolean') {
      y = optional(x, 'issued', boolean, issues);
      if (y !== x) o.issued = y;
    }
    x = o.taxInvoiceURL;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'taxInvoiceURL', string, issues);
      if (y !== x) o.taxInvoiceURL = y;
    }
    return o;
  },
};

const orderCustomerPhone: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.number;
    if (typeof x !== 'string') {
      y = expected(x, 'number', string, issues);
      if (y !== x) o.number = y;
    }
    x = o.extension;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'extension', string, issues);
      if (y !== x) o.extension = y;
    }
    return o;
  },
};

const orderCustomer: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.id;
    if (typeof x !== 'string') {
      y = expected(x, 'id', id, issues);
      if (y !== x) o.id = y;
    }
    x = o.name;
    if (typeof x !== 'string') {
      y = expected(x, 'name', string, issues);
      if (y !== x) o.name = y;
    }
    x = o.documentNumber;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'documentNumber', string, issues);
      if (y !== x) o.documentNumber = y;
    }
    x = o.phone;
    y = expected(x, 'phone', orderCustomerPhone, issues);
    if (y !== x) o.phone = y;
    x = o.email;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'email', string, issues);
      if (y !== x) o.email = y;
    }
    x = o.ordersCountOnMerchant;
    if (!Number.isFinite(x)) {
      y = expected(x, 'ordersCountOnMerchant', number, issues);
      if (y !== x) o.ordersCountOnMerchant = y;
    }
    return o;
  },
};

const orderSchedule: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.scheduledDateTimeStart;
    if (!datetime.accepts(x)) {
      y = expected(x, 'scheduledDateTimeStart', datetime, issues);
      if (y !== x) o.scheduledDateTimeStart = y;
    }
    x = o.scheduledDateTimeEnd;
    if (!datetime.accepts(x)) {
      y = expected(x, 'scheduledDateTimeEnd', datetime, issues);
      if (y !== x) o.scheduledDateTimeEnd = y;
    }
    return o;
  },
};

const orderDeliveryDeliveredBy = /* @__PURE__ */ new StringReader({ values: ['MERCHANT', 'MARKETPLACE'] });

const orderDeliveryDeliveryAddress: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.country;
    if (typeof x !== 'string') {
      y = expected(x, 'country', string, issues);
      if (y !== x) o.country = y;
    }
    x = o.state;
    if (typeof x !== 'string') {
      y = expected(x, 'state', string, issues);
      if (y !== x) o.state = y;
    }
    x = o.city;
    if (typeof x !== 'string') {
      y = expected(x, 'city', string, issues);
      if (y !== x) o.city = y;
    }
    x = o.district;
    if (typeof x !== 'string') {
      y = aliased(x, 'district', string, issues, expected, o, ['neighborhood']);
      if (y !== x) o.district = y;
    }
    x = o.street;
    if (typeof x !== 'string') {
      y = aliased(x, 'street', string, issues, expected, o, ['streetName']);
      if (y !== x) o.street = y;
    }
    x = o.number;
    if (typeof x !== 'string') {
      y = aliased(x, 'number', string, issues, expected, o, ['streetNumber']);
      if (y !== x) o.number = y;
    }
    x = o.complement;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'complement', string, issues);
      if (y !== x) o.complement = y;
    }
    x = o.reference;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'reference', string, issues);
      if (y !== x) o.reference = y;
    }
    x = o.formattedAddress;
    if (typeof x !== 'string') {
      y = expected(x, 'formattedAddress', string, issues);
      if (y !== x) o.formattedAddress = y;
    }
    x = o.postalCode;
    if (typeof x !== 'string') {
      y = expected(x, 'postalCode', string, issues);
      if (y !== x) o.postalCode = y;
    }
    x = o.coordinates;
    y = expected(x, 'coordinates', coordinates, issues);
    if (y !== x) o.coordinates = y;
    return o;
  },
};

const orderDelivery: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.deliveredBy;
    if (x !== 'MERCHANT' && x !== 'MARKETPLACE') {
      y = expected(x, 'deliveredBy', orderDeliveryDeliveredBy, issues);
      if (y !== x) o.deliveredBy = y;
    }
    x = o.deliveryAddress;
    y = expected(x, 'deliveryAddress', orderDeliveryDeliveryAddress, issues);
    if (y !== x) o.deliveryAddress = y;
    x = o.estimatedDeliveryDateTime;
    if (!datetime.accepts(x)) {
      y = expected(x, 'estimatedDeliveryDateTime', datetime, issues);
      if (y !== x) o.estimatedDeliveryDateTime = y;
    }
    x = o.deliveryDateTime;
    if (x !== undefined && !datetime.accepts(x)) {
      y = optional(x, 'deliveryDateTime', datetime, issues);
      if (y !== x) o.deliveryDateTime = y;
    }
    x = o.pickupCode;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'pickupCode', string, issues);
      if (y !== x) o.pickupCode = y;
    }
    return o;
  },
};

const orderTakeoutMode = /* @__PURE__ */ new StringReader({ values: ['DEFAULT', 'PICKUP_AREA'] });

const orderTakeout: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.mode;
    if (x !== 'DEFAULT' && x !== 'PICKUP_AREA') {
      y = expected(x, 'mode', orderTakeoutMode, issues);
      if (y !== x) o.mode = y;
    }
    x = o.takeoutDateTime;
    if (!datetime.accepts(x)) {
      y = expected(x, 'takeoutDateTime', datetime, issues);
      if (y !== x) o.takeoutDateTime = y;
    }
    return o;
  },
};

const orderIndoorMode = /* @__PURE__ */ new StringReader({ values: ['DEFAULT', 'PLACE', 'TAB', 'TERMINAL'] });

const orderIndoor: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.mode;
    if (x !== 'DEFAULT' && x !== 'PLACE' && x !== 'TAB' && x !== 'TERMINAL') {
      y = expected(x, 'mode', orderIndoorMode, issues);
      if (y !== x) o.mode = y;
    }
    x = o.indoorDateTime;
    if (!datetime.accepts(x)) {
      y = expected(x, 'indoorDateTime', datetime, issues);
      if (y !== x) o.indoorDateTime = y;
    }
    x = o.place;
    if (typeof x !== 'string') {
      y = aliased(x, 'place', string, issues, optional, o, ['table']);
      if (y !== x) o.place = y;
    }
    x = o.tab;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'tab', string, issues);
      if (y !== x) o.tab = y;
    }
    x = o.seat;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'seat', string, issues);
      if (y !== x) o.seat = y;
    }
    x = o.waiterCode;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'waiterCode', string, issues);
      if (y !== x) o.waiterCode = y;
    }
    return o;
  },
};

export const order: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.id;
    if (typeof x !== 'string') {
      y = identifying(x, 'id', id, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.id = y;
    }
    x = o.type;
    if (x !== 'DELIVERY' && x !== 'TAKEOUT' && x !== 'INDOOR') {
      y = expected(x, 'type', serviceServiceType, issues);
      if (y !== x) o.type = y;
    }
    x = o.displayId;
    if (typeof x !== 'string') {
      y = expected(x, 'displayId', id, issues);
      if (y !== x) o.displayId = y;
    }
    x = o.sourceAppId;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'sourceAppId', id, issues);
      if (y !== x) o.sourceAppId = y;
    }
    x = o.salesChannel;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'salesChannel', string, issues);
      if (y !== x) o.salesChannel = y;
    }
    x = o.virtualBrand;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'virtualBrand', string, issues);
      if (y !== x) o.virtualBrand = y;
    }
    x = o.category;
    if (x !== undefined && x !== 'FOOD' && x !== 'GROCERY' && x !== 'DRUGSTORE' && x !== 'PETSTORE') {
      y = optional(x, 'category', orderCategory, issues);
      if (y !== x) o.category = y;
    }
    x = o.createdAt;
    if (!datetime.accepts(x)) {
      y = expected(x, 'createdAt', datetime, issues);
      if (y !== x) o.createdAt = y;
    }
    x = o.lastEvent;
    if (x !== undefined && !orderLastEvent.accepts(x)) {
      y = optional(x, 'lastEvent', orderLastEvent, issues);
      if (y !== x) o.lastEvent = y;
    }
    x = o.orderTiming;
    if (x !== 'INSTANT' && x !== 'SCHEDULED' && x !== 'ONDEMAND') {
      y = expected(x, 'orderTiming', serviceServiceTimingTiming, issues);
      if (y !== x) o.orderTiming = y;
    }
    x = o.preparationStartDateTime;
    if (!datetime.accepts(x)) {
      y = expected(x, 'preparationStartDateTime', datetime, issues);
      if (y !== x) o.preparationStartDateTime = y;
    }
    x = o.merchant;
    y = expected(x, 'merchant', orderMerchant, issues);
    if (y !== x) o.merchant = y;
    x = o.items;
    y = defaulted(x, 'items', orderItemsList, issues, defaultArray2);
    if (y !== x) o.items = y;
    x = o.otherFees;
    if (x !== undefined) {
      y = optional(x, 'otherFees', orderOtherFeesList, issues);
      if (y !== x) o.otherFees = y;
    }
    x = o.discounts;
    if (x !== undefined) {
      y = optional(x, 'discounts', orderDiscountsList, issues);
      if (y !== x) o.discounts = y;
    }
    x = o.total;
    y = expected(x, 'total', orderTotal, issues);
    if (y !== x) o.total = y;
    x = o.payments;
    y = expected(x, 'payments', orderPayments, issues);
    if (y !== x) o.payments = y;
    x = o.taxInvoice;
    if (x !== undefined) {
      y = optional(x, 'taxInvoice', orderTaxInvoice, issues);
      if (y !== x) o.taxInvoice = y;
    }
    x = o.customer;
    if (x !== undefined) {
      y = optional(x, 'customer', orderCustomer, issues);
      if (y !== x) o.customer = y;
    }
    x = o.schedule;
    if (x !== undefined) {
      y = optional(x, 'schedule', orderSchedule, issues);
      if (y !== x) o.schedule = y;
    }
    x = o.orderPriority;
    if (
      x !== undefined &&
      x !== 'PRIORITY1' &&
      x !== 'PRIORITY2' &&
      x !== 'PRIORITY3' &&
      x !== 'PRIORITY4' &&
      x !== 'PRIORITY5'
    ) {
      y = optional(x, 'orderPriority', serviceServicePriority, issues);
      if (y !== x) o.orderPriority = y;
    }
    x = o.delivery;
    if (x !== undefined) {
      y = optional(x, 'delivery', orderDelivery, issues);
      if (y !== x) o.delivery = y;
    }
    x = o.takeout;
    if (x !== undefined) {
      y = optional(x, 'takeout', orderTakeout, issues);
      if (y !== x) o.takeout = y;
    }
    x = o.indoor;
    if (x !== undefined) {
      y = optional(x, 'indoor', orderIndoor, issues);
      if (y !== x) o.indoor = y;
    }
    x = o.sendPreparing;
    if (x !== undefined && typeof x !== 'boolean') {
      y = optional(x, 'sendPreparing', boolean, issues);
      if (y !== x) o.sendPreparing = y;
    }
    x = o.sendDelivered;
    if (x !== undefined && typeof x !== 'boolean') {
      y = optional(x, 'sendDelivered', boolean, issues);
      if (y !== x) o.sendDelivered = y;
    }
    x = o.sendPickedUp;
    if (x !== undefined && typeof x !== 'boolean') {
      y = optional(x, 'sendPickedUp', boolean, issues);
      if (y !== x) o.sendPickedUp = y;
    }
    x = o.sendTracking;
    if (x !== undefined && typeof x !== 'boolean') {
      y = optional(x, 'sendTracking', boolean, issues);
      if (y !== x) o.sendTracking = y;
    }
    x = o.extraInfo;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'extraInfo', string, issues);
      if (y !== x) o.extraInfo = y;
    }
    return o;
  },
};
