import * as z from 'zod';
import { type Money, moneySchema } from '../money.js';
import { expected, id, openEnum, wireObject } from '../wire.js';

export const orderFeeSchema = wireObject({
  name: expected(z.string()),
  type: expected(openEnum(['DELIVERY_FEE', 'SERVICE_FEE', 'TIP', 'MIN_ORDER_FEE'])),
  receivedBy: expected(openEnum(['MARKETPLACE', 'MERCHANT', 'LOGISTIC_SERVICES'])),
  receiverDocument: z.string().optional(),
  price: expected(moneySchema),
  observation: z.string().optional(),
});

const sponsorshipSchema = wireObject({
  name: expected(openEnum(['MARKETPLACE', 'MERCHANT', 'CHAIN'])),
  amount: expected(moneySchema),
  discountCode: z.string().optional(),
});

export const orderDiscountSchema = wireObject({
  amount: expected(moneySchema),
  target: expected(openEnum(['CART', 'DELIVERY_FEE', 'ITEM'])),
  targetId: id().optional(),
  sponsorshipValues: z.array(sponsorshipSchema).default([]),
});

export const orderTotalSchema = wireObject(
  {
    itemsPrice: expected(moneySchema),
    otherFees: expected(moneySchema),
    discount: expected(moneySchema),
    orderAmount: expected(moneySchema),
  },
  { aliases: { items: 'itemsPrice' } },
);

/** A fee in addition to the items (standard v1.7.1). */
export type OrderFee = {
  /** The name for customers. Required by the standard; absence is an issue. */
  readonly name?: string | undefined;
  /**
   * What the fee is for: the delivery, the service, a tip, or an order below the store's minimum. Required by the
   * standard; absence is an issue.
   */
  readonly type?: 'DELIVERY_FEE' | 'SERVICE_FEE' | 'TIP' | 'MIN_ORDER_FEE' | (string & {}) | undefined;
  /**
   * Who keeps the money in the end, no matter who collects it: the marketplace, the store or the logistics company. Required
   * by the standard; absence is an issue.
   */
  readonly receivedBy?: 'MARKETPLACE' | 'MERCHANT' | 'LOGISTIC_SERVICES' | (string & {}) | undefined;
  /** CNPJ or CPF of the receiver. Required by the standard if MARKETPLACE receives the fee. Absent: not given. */
  readonly receiverDocument?: string | undefined;
  /** The amount of the fee. Required by the standard; absence is an issue. */
  readonly price?: Money | undefined;
  /** A comment as free text (standard, optional). Absent: not given. */
  readonly observation?: string | undefined;
};

/** The part of a discount that one party pays (standard v1.7.1). */
export type DiscountSponsorship = {
  /** Who pays: the marketplace, the store or its chain. Required by the standard; absence is an issue. */
  readonly name?: 'MARKETPLACE' | 'MERCHANT' | 'CHAIN' | (string & {}) | undefined;
  /** How much this party pays. Required by the standard; absence is an issue. */
  readonly amount?: Money | undefined;
  /** The customer's coupon or the code of a campaign (standard, optional). Absent: not given. */
  readonly discountCode?: string | undefined;
};

/** A discount on an order (standard v1.7.1). A voucher that pays is a payment method, not a discount. */
export type OrderDiscount = {
  /** How much the customer saves, as a positive amount. Required by the standard; absence is an issue. */
  readonly amount?: Money | undefined;
  /** What gets cheaper: the cart, the delivery fee or one item. Required by the standard; absence is an issue. */
  readonly target?: 'CART' | 'DELIVERY_FEE' | 'ITEM' | (string & {}) | undefined;
  /** The item's id. Required by the standard if `target` is ITEM. Absent: the target is not an item. */
  readonly targetId?: string | undefined;
  /** Who pays for the discount; the amounts add up to `amount`. Always present: empty if the hub leaves it out. */
  readonly sponsorshipValues: readonly DiscountSponsorship[];
};

/** The sums of an order (standard v1.7.1). In real orders they do not always add up; that is an issue. */
export type OrderTotal = {
  /** The sum of `totalPrice` over the items. Required by the standard; absence is an issue. */
  readonly itemsPrice?: Money | undefined;
  /** The sum of `otherFees`, 0 if there are none. Required by the standard; absence is an issue. */
  readonly otherFees?: Money | undefined;
  /** The sum of `discounts`, as a positive amount, 0 if there are none. Required by the standard; absence is an issue. */
  readonly discount?: Money | undefined;
  /** What the order costs: `itemsPrice` + `otherFees` - `discount`. Required by the standard; absence is an issue. */
  readonly orderAmount?: Money | undefined;
};
