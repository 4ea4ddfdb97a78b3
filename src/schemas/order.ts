import * as z from 'zod';
import {
  type OrderPriority,
  type OrderTiming,
  PRIORITIES,
  SERVICE_TYPES,
  type ServiceType,
  TIMINGS,
} from './common.js';
import { EVENT_TYPES, type EventType } from './event-types.js';
import { type OrderCustomer, orderCustomerSchema } from './order/customer.js';
import {
  type OrderDelivery,
  type OrderIndoor,
  type OrderSchedule,
  type OrderTakeout,
  orderDeliverySchema,
  orderIndoorSchema,
  orderScheduleSchema,
  orderTakeoutSchema,
} from './order/fulfillment.js';
import { type OrderItem, orderItemSchema } from './order/item.js';
import {
  type OrderPayments,
  type OrderTaxInvoice,
  orderPaymentsSchema,
  orderTaxInvoiceSchema,
} from './order/payment.js';
import {
  type OrderDiscount,
  type OrderFee,
  type OrderTotal,
  orderDiscountSchema,
  orderFeeSchema,
  orderTotalSchema,
} from './order/total.js';
import { expected, formatted, id, openEnum, wireObject } from './wire.js';

const orderMerchantSchema = wireObject({ id: expected(id()), name: expected(z.string()) });

/**
 * An order as in the standard v1.7.1; the spec does not show its fields. An order is never refused for a field that
 * it lacks. It is unusable only if its own id is a number that is not a safe integer, because that id could be
 * taken for another order's (Spec §2.12, §4.5).
 */
export const orderSchema = wireObject({
  id: expected(id({ identifies: true })),
  type: expected(openEnum(SERVICE_TYPES, { spellings: {} })),
  displayId: expected(id()),
  sourceAppId: id().optional(),
  salesChannel: z.string().optional(),
  virtualBrand: z.string().optional(),
  category: openEnum(['FOOD', 'GROCERY', 'DRUGSTORE', 'PETSTORE']).optional(),
  createdAt: expected(formatted('datetime')),
  lastEvent: openEnum(EVENT_TYPES).optional(),
  orderTiming: expected(openEnum(TIMINGS, { spellings: {} })),
  preparationStartDateTime: expected(formatted('datetime')),
  merchant: expected(orderMerchantSchema),
  items: z.array(orderItemSchema).default([]),
  otherFees: z.array(orderFeeSchema).optional(),
  discounts: z.array(orderDiscountSchema).optional(),
  total: expected(orderTotalSchema),
  payments: expected(orderPaymentsSchema),
  taxInvoice: orderTaxInvoiceSchema.optional(),
  customer: orderCustomerSchema.optional(),
  schedule: orderScheduleSchema.optional(),
  orderPriority: openEnum(PRIORITIES).optional(),
  delivery: orderDeliverySchema.optional(),
  takeout: orderTakeoutSchema.optional(),
  indoor: orderIndoorSchema.optional(),
  sendPreparing: z.boolean().optional(),
  sendDelivered: z.boolean().optional(),
  sendPickedUp: z.boolean().optional(),
  sendTracking: z.boolean().optional(),
  extraInfo: z.string().optional(),
});

/** The store that an order is for (standard v1.7.1). */
export type OrderMerchant = {
  /** The store's id, as `Merchant.id`. Required by the standard; absence is an issue. */
  readonly id?: string | undefined;
  /** The name that customers know. Required by the standard; absence is an issue. */
  readonly name?: string | undefined;
};

/**
 * An order, with the field names of the wire format. The spec does not show its fields; they are those of the
 * standard v1.7.1. Fields that the hub adds are kept at run time (Spec §2.12, §4.5).
 */
export type Order = {
  /** The order's id, as `OrderEvent.orderId`. Required by the standard; absence is an issue. */
  readonly id?: string | undefined;
  /**
   * How the customer gets the order; it decides which of `delivery`, `takeout` and `indoor` is present. Required by
   * the standard; absence is an issue.
   */
  readonly type?: ServiceType | undefined;
  /** The order number that the customer sees. Required by the standard; absence is an issue. */
  readonly displayId?: string | undefined;
  /** The id of the ordering application behind the hub (standard, optional). Absent: the hub does not say which. */
  readonly sourceAppId?: string | undefined;
  /** The name of the channel that sold the order (standard, optional). Absent: the hub does not say. */
  readonly salesChannel?: string | undefined;
  /** The store's brand, if it sells under several brands (standard, optional). Absent: the store has one brand. */
  readonly virtualBrand?: string | undefined;
  /** What kind of goods it contains (standard, optional). Absent: FOOD. */
  readonly category?: 'FOOD' | 'GROCERY' | 'DRUGSTORE' | 'PETSTORE' | (string & {}) | undefined;
  /** When the order was created, as an ISO 8601 date-time. Required by the standard; absence is an issue. */
  readonly createdAt?: string | undefined;
  /**
   * The type of the latest event that the hub has issued for the order, acknowledged or not (standard, optional).
   * This is the order's state at the hub. Absent: the hub does not say.
   */
  readonly lastEvent?: EventType | undefined;
  /** When the order is to be prepared. Required by the standard; absence is an issue. */
  readonly orderTiming?: OrderTiming | undefined;
  /**
   * When to begin with the preparation, as an ISO 8601 date-time: a suggestion of the hub, equal to `createdAt` if
   * there is no reason to wait. Required by the standard; absence is an issue.
   */
  readonly preparationStartDateTime?: string | undefined;
  /** The store that the order is for. Required by the standard; absence is an issue. */
  readonly merchant?: OrderMerchant | undefined;
  /** The items to prepare. Required by the standard. Always present: empty if the hub leaves it out. */
  readonly items: readonly OrderItem[];
  /** Fees in addition to the items, e.g. for delivery (standard, optional). Absent: there are none. */
  readonly otherFees?: readonly OrderFee[] | undefined;
  /** Discounts on the order (standard, optional). Absent: there are none. */
  readonly discounts?: readonly OrderDiscount[] | undefined;
  /** The sums of the order. Required by the standard; absence is an issue. */
  readonly total?: OrderTotal | undefined;
  /** How the order is paid. Required by the standard; absence is an issue. */
  readonly payments?: OrderPayments | undefined;
  /** The tax invoice (standard, optional). Absent: not issued by the hub. */
  readonly taxInvoice?: OrderTaxInvoice | undefined;
  /**
   * The customer. Required by the standard if `type` is DELIVERY: absence is an issue then. Otherwise absent: the hub
   * does not say.
   */
  readonly customer?: OrderCustomer | undefined;
  /**
   * When the order is due. Required by the standard if `orderTiming` is SCHEDULED: absence is an issue then. Otherwise
   * absent: it is not scheduled.
   */
  readonly schedule?: OrderSchedule | undefined;
  /** How urgent the order is compared to the others (standard, optional). Absent: as urgent as any other. */
  readonly orderPriority?: OrderPriority | undefined;
  /**
   * Where to deliver. Required by the standard if `type` is DELIVERY: absence is an issue then. Otherwise absent: it
   * is not a delivery.
   */
  readonly delivery?: OrderDelivery | undefined;
  /**
   * How the customer picks it up. Required by the standard if `type` is TAKEOUT: absence is an issue then. Otherwise
   * absent: it is not a takeout.
   */
  readonly takeout?: OrderTakeout | undefined;
  /**
   * Where in the store to serve it. Required by the standard if `type` is INDOOR: absence is an issue then. Otherwise
   * absent: it is not indoor.
   */
  readonly indoor?: OrderIndoor | undefined;
  /** true: the hub waits for `hub.orders.preparing` (standard, optional). Absent: it does not. */
  readonly sendPreparing?: boolean | undefined;
  /** true: the hub waits for `hub.orders.delivered` (standard, optional). Absent: it does not. */
  readonly sendDelivered?: boolean | undefined;
  /** true: the hub waits for `hub.orders.pickedUp` (standard, optional). Absent: it does not. */
  readonly sendPickedUp?: boolean | undefined;
  /** true: the hub waits for reports on the delivery, the status `tracking` (standard, optional). Absent: it does not. */
  readonly sendTracking?: boolean | undefined;
  /** Free text for the store (standard, optional). Absent: not given. */
  readonly extraInfo?: string | undefined;
};
