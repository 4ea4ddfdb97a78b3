// Generated from the schemas in src/schemas/ by `npm run generate`. Change the schemas or .ci/readers/ instead.

import { defaulted, expected, identifying, optional } from '../fields.js';
import { listOf } from '../list-reader.js';
import { objectReader } from '../object-reader.js';
import type { Reader } from '../reader.js';
import { boolean, id, number, StringReader, string } from '../value-readers.js';
import {
  coordinates,
  currency,
  datetime,
  defaultArray,
  money,
  orderLastEvent,
  serviceServicePriority,
  serviceServiceTimingTiming,
  serviceServiceType,
} from './shared.js';

const orderCategory = /* @__PURE__ */ new StringReader({
  values: ['FOOD', 'GROCERY', 'DRUGSTORE', 'PETSTORE'],
});

const orderMerchant: Reader = /* @__PURE__ */ objectReader({ id: [expected, id], name: [expected, string] });

const orderItemsUnit = /* @__PURE__ */ new StringReader({
  values: ['UN', 'KG', 'L', 'OZ', 'LB', 'GAL'],
  spellings: { UNIT: 'UN' },
});

const orderItemsIndoor: Reader = /* @__PURE__ */ objectReader({ productionPoint: [optional, string] });

const orderItemsOptions: Reader = /* @__PURE__ */ objectReader({
  index: [optional, number],
  id: [expected, id],
  name: [expected, string],
  externalCode: [expected, id],
  unit: [expected, orderItemsUnit],
  ean: [optional, id],
  quantity: [expected, number],
  unitPrice: [expected, money],
  originalPrice: [optional, money],
  subtotalPrice: [optional, money],
  totalPrice: [expected, money, ['price']],
  specialInstructions: [optional, string],
});

const orderItemsOptionsList: Reader = /* @__PURE__ */ listOf(orderItemsOptions);

const orderItems: Reader = /* @__PURE__ */ objectReader({
  id: [expected, id],
  index: [optional, number],
  name: [expected, string],
  externalCode: [expected, id],
  unit: [expected, orderItemsUnit],
  ean: [optional, id],
  quantity: [expected, number],
  specialInstructions: [optional, string],
  unitPrice: [expected, money],
  originalPrice: [optional, money],
  scalePriceApplied: [optional, boolean],
  optionsPrice: [optional, money],
  subtotalPrice: [optional, money],
  totalPrice: [expected, money],
  indoor: [optional, orderItemsIndoor],
  options: [optional, orderItemsOptionsList],
});

const orderItemsList: Reader = /* @__PURE__ */ listOf(orderItems);

const orderOtherFeesType = /* @__PURE__ */ new StringReader({
  values: ['DELIVERY_FEE', 'SERVICE_FEE', 'TIP', 'MIN_ORDER_FEE'],
});

const orderOtherFeesReceivedBy = /* @__PURE__ */ new StringReader({
  values: ['MARKETPLACE', 'MERCHANT', 'LOGISTIC_SERVICES'],
});

const orderOtherFees: Reader = /* @__PURE__ */ objectReader({
  name: [expected, string],
  type: [expected, orderOtherFeesType],
  receivedBy: [expected, orderOtherFeesReceivedBy],
  receiverDocument: [optional, string],
  price: [expected, money],
  observation: [optional, string],
});

const orderOtherFeesList: Reader = /* @__PURE__ */ listOf(orderOtherFees);

const orderDiscountsTarget = /* @__PURE__ */ new StringReader({ values: ['CART', 'DELIVERY_FEE', 'ITEM'] });

const orderDiscountsSponsorshipValuesName = /* @__PURE__ */ new StringReader({
  values: ['MARKETPLACE', 'MERCHANT', 'CHAIN'],
});

const orderDiscountsSponsorshipValues: Reader = /* @__PURE__ */ objectReader({
  name: [expected, orderDiscountsSponsorshipValuesName],
  amount: [expected, money],
  discountCode: [optional, string],
});

const orderDiscountsSponsorshipValuesList: Reader = /* @__PURE__ */ listOf(orderDiscountsSponsorshipValues);

const orderDiscounts: Reader = /* @__PURE__ */ objectReader({
  amount: [expected, money],
  target: [expected, orderDiscountsTarget],
  targetId: [optional, id],
  sponsorshipValues: [defaulted, orderDiscountsSponsorshipValuesList, defaultArray],
});

const orderDiscountsList: Reader = /* @__PURE__ */ listOf(orderDiscounts);

const orderTotal: Reader = /* @__PURE__ */ objectReader({
  itemsPrice: [expected, money, ['items']],
  otherFees: [expected, money],
  discount: [expected, money],
  orderAmount: [expected, money],
});

const orderPaymentsMethodsType = /* @__PURE__ */ new StringReader({
  values: ['PREPAID', 'PENDING'],
  spellings: {},
});

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
  spellings: {},
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

const orderPaymentsMethodsTransaction: Reader = /* @__PURE__ */ objectReader({
  authorizationCode: [optional, string],
  acquirerDocument: [optional, string],
});

const orderPaymentsMethods: Reader = /* @__PURE__ */ objectReader({
  value: [expected, number],
  currency: [expected, currency],
  type: [expected, orderPaymentsMethodsType],
  method: [expected, orderPaymentsMethodsMethod],
  brand: [optional, orderPaymentsMethodsBrand],
  methodInfo: [optional, string],
  transaction: [optional, orderPaymentsMethodsTransaction],
  changeFor: [optional, number],
});

const orderPaymentsMethodsList: Reader = /* @__PURE__ */ listOf(orderPaymentsMethods);

const orderPayments: Reader = /* @__PURE__ */ objectReader(
  {
    prepaid: [expected, number],
    pending: [expected, number],
    methods: [defaulted, orderPaymentsMethodsList, defaultArray],
  },
  'methods',
);

const orderTaxInvoice: Reader = /* @__PURE__ */ objectReader({
  issued: [optional, boolean],
  taxInvoiceURL: [optional, string],
});

const orderCustomerPhone: Reader = /* @__PURE__ */ objectReader(
  { number: [expected, string], extension: [optional, string] },
  'number',
);

const orderCustomer: Reader = /* @__PURE__ */ objectReader({
  id: [expected, id],
  name: [expected, string],
  documentNumber: [optional, string],
  phone: [expected, orderCustomerPhone],
  email: [optional, string],
  ordersCountOnMerchant: [expected, number],
});

const orderSchedule: Reader = /* @__PURE__ */ objectReader({
  scheduledDateTimeStart: [expected, datetime],
  scheduledDateTimeEnd: [expected, datetime],
});

const orderDeliveryDeliveredBy = /* @__PURE__ */ new StringReader({
  values: ['MERCHANT', 'MARKETPLACE'],
  spellings: {},
});

const orderDeliveryDeliveryAddress: Reader = /* @__PURE__ */ objectReader({
  country: [expected, string],
  state: [expected, string],
  city: [expected, string],
  district: [expected, string, ['neighborhood']],
  street: [expected, string, ['streetName']],
  number: [expected, string, ['streetNumber']],
  complement: [optional, string],
  reference: [optional, string],
  formattedAddress: [expected, string],
  postalCode: [expected, string],
  coordinates: [expected, coordinates],
});

const orderDelivery: Reader = /* @__PURE__ */ objectReader({
  deliveredBy: [expected, orderDeliveryDeliveredBy],
  deliveryAddress: [expected, orderDeliveryDeliveryAddress],
  estimatedDeliveryDateTime: [expected, datetime],
  deliveryDateTime: [optional, datetime],
  pickupCode: [optional, string],
});

const orderTakeoutMode = /* @__PURE__ */ new StringReader({ values: ['DEFAULT', 'PICKUP_AREA'] });

const orderTakeoutBillingAddress: Reader = /* @__PURE__ */ objectReader({
  country: [optional, string],
  state: [optional, string],
  city: [optional, string],
  district: [optional, string, ['neighborhood']],
  street: [optional, string, ['streetName']],
  number: [optional, string, ['streetNumber']],
  complement: [optional, string],
  postalCode: [optional, string],
});

const orderTakeout: Reader = /* @__PURE__ */ objectReader({
  mode: [expected, orderTakeoutMode],
  takeoutDateTime: [expected, datetime],
  billingAddress: [optional, orderTakeoutBillingAddress],
});

const orderIndoorMode = /* @__PURE__ */ new StringReader({ values: ['DEFAULT', 'PLACE', 'TAB', 'TERMINAL'] });

const orderIndoor: Reader = /* @__PURE__ */ objectReader({
  mode: [expected, orderIndoorMode],
  indoorDateTime: [expected, datetime],
  place: [optional, string, ['table']],
  tab: [optional, string],
  seat: [optional, string],
  waiterCode: [optional, string],
});

export const order: Reader = /* @__PURE__ */ objectReader({
  id: [identifying, id],
  type: [expected, serviceServiceType],
  displayId: [expected, id],
  sourceAppId: [optional, id],
  salesChannel: [optional, string],
  virtualBrand: [optional, string],
  category: [optional, orderCategory],
  createdAt: [expected, datetime],
  lastEvent: [optional, orderLastEvent],
  orderTiming: [expected, serviceServiceTimingTiming],
  preparationStartDateTime: [expected, datetime],
  merchant: [expected, orderMerchant],
  items: [defaulted, orderItemsList, defaultArray],
  otherFees: [optional, orderOtherFeesList],
  discounts: [optional, orderDiscountsList],
  total: [expected, orderTotal],
  payments: [expected, orderPayments],
  taxInvoice: [optional, orderTaxInvoice],
  customer: [optional, orderCustomer],
  schedule: [optional, orderSchedule],
  orderPriority: [optional, serviceServicePriority],
  delivery: [optional, orderDelivery],
  takeout: [optional, orderTakeout],
  indoor: [optional, orderIndoor],
  sendPreparing: [optional, boolean],
  sendDelivered: [optional, boolean],
  sendPickedUp: [optional, boolean],
  sendTracking: [optional, boolean],
  extraInfo: [optional, string],
});
