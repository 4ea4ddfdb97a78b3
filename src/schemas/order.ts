import * as z from 'zod';
import { CARD_BRANDS, PRIORITIES, priceSchema, TIMINGS, UNITS } from './common.js';
import { EVENT_TYPES } from './event.js';
import { type DeepReadonly, expected, formatted, id, openEnum, wireObject } from './wire.js';

const text = () => expected(z.string());
const code = () => expected(id());
const price = () => expected(priceSchema);
const instant = () => expected(formatted('datetime'));

/** One chosen option of an item. */
const orderOptionSchema = wireObject(
  {
    index: z.number().optional(),
    id: code(),
    name: text(),
    externalCode: code(),
    unit: expected(openEnum(UNITS)),
    ean: id().optional(),
    quantity: expected(z.number()),
    unitPrice: price(),
    originalPrice: priceSchema.optional(),
    subtotalPrice: priceSchema.optional(),
    totalPrice: price(),
    specialInstructions: z.string().optional(),
  },
  { aliases: { price: 'totalPrice' } },
);

/** One line of an order; never left out, whatever it lacks. */
const orderItemSchema = wireObject({
  id: code(),
  index: z.number().optional(),
  name: text(),
  externalCode: code(),
  unit: expected(openEnum(UNITS)),
  ean: id().optional(),
  quantity: expected(z.number()),
  specialInstructions: z.string().optional(),
  unitPrice: price(),
  originalPrice: priceSchema.optional(),
  scalePriceApplied: z.boolean().optional(),
  optionsPrice: priceSchema.optional(),
  subtotalPrice: priceSchema.optional(),
  totalPrice: price(),
  indoor: wireObject({ productionPoint: z.string().optional() }).optional(),
  options: z.array(orderOptionSchema).optional(),
});

const paymentMethodSchema = wireObject({
  value: expected(z.number()),
  currency: expected(formatted('currency')),
  type: expected(openEnum(['PREPAID', 'PENDING'])),
  method: expected(
    openEnum([
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
    ]),
  ),
  brand: openEnum(CARD_BRANDS).optional(),
  methodInfo: z.string().optional(),
  transaction: wireObject({
    authorizationCode: z.string().optional(),
    acquirerDocument: z.string().optional(),
  }).optional(),
  changeFor: z.number().optional(),
});

const deliverySchema = wireObject({
  deliveredBy: expected(openEnum(['MERCHANT', 'MARKETPLACE'])),
  deliveryAddress: expected(
    wireObject(
      {
        country: text(),
        state: text(),
        city: text(),
        district: text(),
        street: text(),
        number: text(),
        complement: z.string().optional(),
        reference: z.string().optional(),
        formattedAddress: text(),
        postalCode: text(),
        coordinates: expected(wireObject({ latitude: z.number(), longitude: z.number() })),
      },
      { aliases: { streetName: 'street', streetNumber: 'number', neighborhood: 'district' } },
    ),
  ),
  estimatedDeliveryDateTime: instant(),
  deliveryDateTime: formatted('datetime').optional(),
  pickupCode: z.string().optional(),
});

/**
 * An order as the standard's v1.7.0 has it; the spec does not show its fields.
 * Nothing of it is left out for what it lacks. Only an order whose own id is a
 * number that is not a safe integer is unusable: it could be taken for another order.
 *
 * @see Spec §2.12, §4.5
 */
export const orderSchema = wireObject({
  id: expected(id({ identifies: true })),
  type: expected(openEnum(['DELIVERY', 'TAKEOUT', 'INDOOR'])),
  displayId: code(),
  sourceAppId: id().optional(),
  salesChannel: z.string().optional(),
  virtualBrand: z.string().optional(),
  category: openEnum(['FOOD', 'GROCERY', 'DRUGSTORE', 'PETSTORE']).optional(),
  createdAt: instant(),
  lastEvent: openEnum(EVENT_TYPES).optional(),
  orderTiming: expected(openEnum(TIMINGS)),
  preparationStartDateTime: instant(),
  merchant: expected(wireObject({ id: code(), name: text() })),
  items: z.array(orderItemSchema).default([]),
  otherFees: z
    .array(
      wireObject({
        name: text(),
        type: expected(openEnum(['DELIVERY_FEE', 'SERVICE_FEE', 'TIP', 'MIN_ORDER_FEE'])),
        receivedBy: expected(openEnum(['MARKETPLACE', 'MERCHANT', 'LOGISTIC_SERVICES'])),
        receiverDocument: z.string().optional(),
        price: price(),
        observation: z.string().optional(),
      }),
    )
    .optional(),
  discounts: z
    .array(
      wireObject({
        amount: price(),
        target: expected(openEnum(['CART', 'DELIVERY_FEE', 'ITEM'])),
        targetId: id().optional(),
        sponsorshipValues: z
          .array(
            wireObject({
              name: expected(openEnum(['MARKETPLACE', 'MERCHANT', 'CHAIN'])),
              amount: price(),
              discountCode: z.string().optional(),
            }),
          )
          .default([]),
      }),
    )
    .optional(),
  total: expected(
    wireObject(
      { itemsPrice: price(), otherFees: price(), discount: price(), orderAmount: price() },
      { aliases: { items: 'itemsPrice' } },
    ),
  ),
  payments: expected(
    wireObject({
      prepaid: expected(z.number()),
      pending: expected(z.number()),
      methods: z.array(paymentMethodSchema).default([]),
    }),
  ),
  taxInvoice: wireObject({
    issued: z.boolean().optional(),
    taxInvoiceURL: z.string().optional(),
  }).optional(),
  customer: wireObject({
    id: code(),
    name: text(),
    documentNumber: z.string().optional(),
    phone: expected(wireObject({ number: text(), extension: z.string().optional() })),
    email: z.string().optional(),
    ordersCountOnMerchant: expected(z.number()),
  }).optional(),
  schedule: wireObject({
    scheduledDateTimeStart: instant(),
    scheduledDateTimeEnd: instant(),
  }).optional(),
  orderPriority: openEnum(PRIORITIES).optional(),
  delivery: deliverySchema.optional(),
  takeout: wireObject({
    mode: expected(openEnum(['DEFAULT', 'PICKUP_AREA'])),
    takeoutDateTime: instant(),
  }).optional(),
  indoor: wireObject(
    {
      mode: expected(openEnum(['DEFAULT', 'PLACE', 'TAB', 'TERMINAL'])),
      indoorDateTime: instant(),
      place: z.string().optional(),
      tab: z.string().optional(),
      seat: z.string().optional(),
      waiterCode: z.string().optional(),
    },
    { aliases: { table: 'place' } },
  ).optional(),
  sendPreparing: z.boolean().optional(),
  sendDelivered: z.boolean().optional(),
  sendPickedUp: z.boolean().optional(),
  sendTracking: z.boolean().optional(),
  extraInfo: z.string().optional(),
});

/** An order of the standard's v1.7.0 with its wire names. */
export type Order = DeepReadonly<z.output<typeof orderSchema>>;
