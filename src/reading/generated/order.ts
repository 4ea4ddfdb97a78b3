// Generated from the schemas in src/schemas/ by `npm run generate`. Change the schemas or .ci/readers/ instead.

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
    expected(o, o.id, 'id', id, issues);
    expected(o, o.name, 'name', string, issues);
    return o;
  },
};

const orderItemsIndoor: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    optional(o, o.productionPoint, 'productionPoint', string, issues);
    return o;
  },
};

const orderItemsOptions: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    optional(o, o.index, 'index', number, issues);
    expected(o, o.id, 'id', id, issues);
    expected(o, o.name, 'name', string, issues);
    expected(o, o.externalCode, 'externalCode', id, issues);
    expected(o, o.unit, 'unit', itemUnit, issues);
    optional(o, o.ean, 'ean', id, issues);
    expected(o, o.quantity, 'quantity', number, issues);
    expected(o, o.unitPrice, 'unitPrice', money, issues);
    optional(o, o.originalPrice, 'originalPrice', money, issues);
    optional(o, o.subtotalPrice, 'subtotalPrice', money, issues);
    aliased(o, o.totalPrice, 'totalPrice', money, issues, expected, ['price']);
    optional(o, o.specialInstructions, 'specialInstructions', string, issues);
    return o;
  },
};

const orderItemsOptionsList: Reader = /* @__PURE__ */ listOf(orderItemsOptions);

const orderItems: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    expected(o, o.id, 'id', id, issues);
    optional(o, o.index, 'index', number, issues);
    expected(o, o.name, 'name', string, issues);
    expected(o, o.externalCode, 'externalCode', id, issues);
    expected(o, o.unit, 'unit', itemUnit, issues);
    optional(o, o.ean, 'ean', id, issues);
    expected(o, o.quantity, 'quantity', number, issues);
    optional(o, o.specialInstructions, 'specialInstructions', string, issues);
    expected(o, o.unitPrice, 'unitPrice', money, issues);
    optional(o, o.originalPrice, 'originalPrice', money, issues);
    optional(o, o.scalePriceApplied, 'scalePriceApplied', boolean, issues);
    optional(o, o.optionsPrice, 'optionsPrice', money, issues);
    optional(o, o.subtotalPrice, 'subtotalPrice', money, issues);
    expected(o, o.totalPrice, 'totalPrice', money, issues);
    optional(o, o.indoor, 'indoor', orderItemsIndoor, issues);
    optional(o, o.options, 'options', orderItemsOptionsList, issues);
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
    expected(o, o.name, 'name', string, issues);
    expected(o, o.type, 'type', orderOtherFeesType, issues);
    expected(o, o.receivedBy, 'receivedBy', orderOtherFeesReceivedBy, issues);
    optional(o, o.receiverDocument, 'receiverDocument', string, issues);
    expected(o, o.price, 'price', money, issues);
    optional(o, o.observation, 'observation', string, issues);
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
    expected(o, o.name, 'name', orderDiscountsSponsorshipValuesName, issues);
    expected(o, o.amount, 'amount', money, issues);
    optional(o, o.discountCode, 'discountCode', string, issues);
    return o;
  },
};

const orderDiscountsSponsorshipValuesList: Reader = /* @__PURE__ */ listOf(orderDiscountsSponsorshipValues);

const orderDiscounts: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    expected(o, o.amount, 'amount', money, issues);
    expected(o, o.target, 'target', orderDiscountsTarget, issues);
    optional(o, o.targetId, 'targetId', id, issues);
    defaulted(
      o,
      o.sponsorshipValues,
      'sponsorshipValues',
      orderDiscountsSponsorshipValuesList,
      issues,
      defaultArray2,
    );
    return o;
  },
};

const orderDiscountsList: Reader = /* @__PURE__ */ listOf(orderDiscounts);

const orderTotal: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    aliased(o, o.itemsPrice, 'itemsPrice', money, issues, expected, ['items']);
    expected(o, o.otherFees, 'otherFees', money, issues);
    expected(o, o.discount, 'discount', money, issues);
    expected(o, o.orderAmount, 'orderAmount', money, issues);
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
    optional(o, o.authorizationCode, 'authorizationCode', string, issues);
    optional(o, o.acquirerDocument, 'acquirerDocument', string, issues);
    return o;
  },
};

const orderPaymentsMethods: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    expected(o, o.value, 'value', number, issues);
    expected(o, o.currency, 'currency', currency, issues);
    expected(o, o.type, 'type', orderPaymentsMethodsType, issues);
    expected(o, o.method, 'method', orderPaymentsMethodsMethod, issues);
    optional(o, o.brand, 'brand', orderPaymentsMethodsBrand, issues);
    optional(o, o.methodInfo, 'methodInfo', string, issues);
    optional(o, o.transaction, 'transaction', orderPaymentsMethodsTransaction, issues);
    optional(o, o.changeFor, 'changeFor', number, issues);
    return o;
  },
};

const orderPaymentsMethodsList: Reader = /* @__PURE__ */ listOf(orderPaymentsMethods);

const orderPayments: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    expected(o, o.prepaid, 'prepaid', number, issues);
    expected(o, o.pending, 'pending', number, issues);
    defaulted(o, o.methods, 'methods', orderPaymentsMethodsList, issues, defaultArray2);
    return o;
  },
};

const orderTaxInvoice: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    optional(o, o.issued, 'issued', boolean, issues);
    optional(o, o.taxInvoiceURL, 'taxInvoiceURL', string, issues);
    return o;
  },
};

const orderCustomerPhone: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    expected(o, o.number, 'number', string, issues);
    optional(o, o.extension, 'extension', string, issues);
    return o;
  },
};

const orderCustomer: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    expected(o, o.id, 'id', id, issues);
    expected(o, o.name, 'name', string, issues);
    optional(o, o.documentNumber, 'documentNumber', string, issues);
    expected(o, o.phone, 'phone', orderCustomerPhone, issues);
    optional(o, o.email, 'email', string, issues);
    expected(o, o.ordersCountOnMerchant, 'ordersCountOnMerchant', number, issues);
    return o;
  },
};

const orderSchedule: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    expected(o, o.scheduledDateTimeStart, 'scheduledDateTimeStart', datetime, issues);
    expected(o, o.scheduledDateTimeEnd, 'scheduledDateTimeEnd', datetime, issues);
    return o;
  },
};

const orderDeliveryDeliveredBy = /* @__PURE__ */ new StringReader({ values: ['MERCHANT', 'MARKETPLACE'] });

const orderDeliveryDeliveryAddress: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    expected(o, o.country, 'country', string, issues);
    expected(o, o.state, 'state', string, issues);
    expected(o, o.city, 'city', string, issues);
    aliased(o, o.district, 'district', string, issues, expected, ['neighborhood']);
    aliased(o, o.street, 'street', string, issues, expected, ['streetName']);
    aliased(o, o.number, 'number', string, issues, expected, ['streetNumber']);
    optional(o, o.complement, 'complement', string, issues);
    optional(o, o.reference, 'reference', string, issues);
    expected(o, o.formattedAddress, 'formattedAddress', string, issues);
    expected(o, o.postalCode, 'postalCode', string, issues);
    expected(o, o.coordinates, 'coordinates', coordinates, issues);
    return o;
  },
};

const orderDelivery: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    expected(o, o.deliveredBy, 'deliveredBy', orderDeliveryDeliveredBy, issues);
    expected(o, o.deliveryAddress, 'deliveryAddress', orderDeliveryDeliveryAddress, issues);
    expected(o, o.estimatedDeliveryDateTime, 'estimatedDeliveryDateTime', datetime, issues);
    optional(o, o.deliveryDateTime, 'deliveryDateTime', datetime, issues);
    optional(o, o.pickupCode, 'pickupCode', string, issues);
    return o;
  },
};

const orderTakeoutMode = /* @__PURE__ */ new StringReader({ values: ['DEFAULT', 'PICKUP_AREA'] });

const orderTakeout: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    expected(o, o.mode, 'mode', orderTakeoutMode, issues);
    expected(o, o.takeoutDateTime, 'takeoutDateTime', datetime, issues);
    return o;
  },
};

const orderIndoorMode = /* @__PURE__ */ new StringReader({ values: ['DEFAULT', 'PLACE', 'TAB', 'TERMINAL'] });

const orderIndoor: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    expected(o, o.mode, 'mode', orderIndoorMode, issues);
    expected(o, o.indoorDateTime, 'indoorDateTime', datetime, issues);
    aliased(o, o.place, 'place', string, issues, optional, ['table']);
    optional(o, o.tab, 'tab', string, issues);
    optional(o, o.seat, 'seat', string, issues);
    optional(o, o.waiterCode, 'waiterCode', string, issues);
    return o;
  },
};

export const order: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    if (!identifying(o, o.id, 'id', id, issues)) return UNUSABLE;
    expected(o, o.type, 'type', serviceServiceType, issues);
    expected(o, o.displayId, 'displayId', id, issues);
    optional(o, o.sourceAppId, 'sourceAppId', id, issues);
    optional(o, o.salesChannel, 'salesChannel', string, issues);
    optional(o, o.virtualBrand, 'virtualBrand', string, issues);
    optional(o, o.category, 'category', orderCategory, issues);
    expected(o, o.createdAt, 'createdAt', datetime, issues);
    optional(o, o.lastEvent, 'lastEvent', orderLastEvent, issues);
    expected(o, o.orderTiming, 'orderTiming', serviceServiceTimingTiming, issues);
    expected(o, o.preparationStartDateTime, 'preparationStartDateTime', datetime, issues);
    expected(o, o.merchant, 'merchant', orderMerchant, issues);
    defaulted(o, o.items, 'items', orderItemsList, issues, defaultArray2);
    optional(o, o.otherFees, 'otherFees', orderOtherFeesList, issues);
    optional(o, o.discounts, 'discounts', orderDiscountsList, issues);
    expected(o, o.total, 'total', orderTotal, issues);
    expected(o, o.payments, 'payments', orderPayments, issues);
    optional(o, o.taxInvoice, 'taxInvoice', orderTaxInvoice, issues);
    optional(o, o.customer, 'customer', orderCustomer, issues);
    optional(o, o.schedule, 'schedule', orderSchedule, issues);
    optional(o, o.orderPriority, 'orderPriority', serviceServicePriority, issues);
    optional(o, o.delivery, 'delivery', orderDelivery, issues);
    optional(o, o.takeout, 'takeout', orderTakeout, issues);
    optional(o, o.indoor, 'indoor', orderIndoor, issues);
    optional(o, o.sendPreparing, 'sendPreparing', boolean, issues);
    optional(o, o.sendDelivered, 'sendDelivered', boolean, issues);
    optional(o, o.sendPickedUp, 'sendPickedUp', boolean, issues);
    optional(o, o.sendTracking, 'sendTracking', boolean, issues);
    optional(o, o.extraInfo, 'extraInfo', string, issues);
    return o;
  },
};
