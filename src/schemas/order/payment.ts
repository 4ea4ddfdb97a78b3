import * as z from 'zod';
import { CARD_BRANDS, type CardBrand } from '../common.js';
import { expected, formatted, openEnum, wireObject } from '../wire.js';

const PAYMENT_METHODS = [
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
] as const;

/** How a part of an order is paid (standard v1.7.1). CREDIT_DEBIT: with a card, of which kind is not known. */
export type PaymentMethod =
  | 'CREDIT'
  | 'DEBIT'
  | 'MEAL_VOUCHER'
  | 'FOOD_VOUCHER'
  | 'DIGITAL_WALLET'
  | 'PIX'
  | 'CASH'
  | 'CREDIT_DEBIT'
  | 'COUPON'
  | 'REDEEM'
  | 'PREPAID_REDEEM'
  | 'OTHER'
  | (string & {});

const transactionSchema = wireObject({
  authorizationCode: z.string().optional(),
  acquirerDocument: z.string().optional(),
});

const orderPaymentSchema = wireObject({
  value: expected(z.number()),
  currency: expected(formatted('currency')),
  type: expected(openEnum(['PREPAID', 'PENDING'], { spellings: {} })),
  method: expected(openEnum(PAYMENT_METHODS, { spellings: {} })),
  brand: openEnum(CARD_BRANDS).optional(),
  methodInfo: z.string().optional(),
  transaction: transactionSchema.optional(),
  changeFor: z.number().optional(),
});

export const orderPaymentsSchema = wireObject(
  {
    prepaid: expected(z.number()),
    pending: expected(z.number()),
    methods: z.array(orderPaymentSchema).default([]),
  },
  { bareKey: 'methods' },
);

export const orderTaxInvoiceSchema = wireObject({
  issued: z.boolean().optional(),
  taxInvoiceURL: z.string().optional(),
});

/** The authorization of a card payment or a subsidy (standard v1.7.1). */
export type PaymentTransaction = {
  /** The number of the authorization (standard, optional). Absent: not given. */
  readonly authorizationCode?: string | undefined;
  /** CNPJ of the company that processed the payment (standard, optional). Absent: not given. */
  readonly acquirerDocument?: string | undefined;
};

/** One payment of an order (standard v1.7.1). The values of all payments add up to `total.orderAmount`. */
export type OrderPayment = {
  /** The amount in the main unit (reais, not cents), at most 4 decimal places. Required by the standard; absence is an issue. */
  readonly value?: number | undefined;
  /** ISO 4217 code, 3 letters, e.g. `BRL`. Required by the standard; absence is an issue. */
  readonly currency?: string | undefined;
  /** PREPAID: already paid. PENDING: the store or the courier collects it. Required by the standard; absence is an issue. */
  readonly type?: 'PREPAID' | 'PENDING' | (string & {}) | undefined;
  /** How it is paid. Required by the standard; absence is an issue. */
  readonly method?: PaymentMethod | undefined;
  /** The brand of the card or voucher (standard, optional). Absent: not paid with a card, or the brand is not known. */
  readonly brand?: CardBrand | undefined;
  /** Details as free text, e.g. the name of a wallet (standard, optional). Absent: there are none. */
  readonly methodInfo?: string | undefined;
  /** The authorization of a card payment (standard, optional). Absent: not given. */
  readonly transaction?: PaymentTransaction | undefined;
  /**
   * The cash that the customer will hand over, in reais: 50 for an order of 43 means 7 of change. Required by the
   * standard if `method` is CASH. Absent: no change is needed, or the hub does not say.
   */
  readonly changeFor?: number | undefined;
};

/** How an order is paid (standard v1.7.1). A hub that sends an array of payments means `methods`. */
export type OrderPayments = {
  /** The sum already paid, in reais (not cents). Required by the standard; absence is an issue. */
  readonly prepaid?: number | undefined;
  /** The sum still to be collected, in reais (not cents). Required by the standard; absence is an issue. */
  readonly pending?: number | undefined;
  /** The payments. Required by the standard. Always present: empty if the hub leaves it out. */
  readonly methods: readonly OrderPayment[];
};

/** The tax invoice of an order (standard v1.7.1). */
export type OrderTaxInvoice = {
  /** Whether an invoice was issued already (standard, optional). Absent: it was not. */
  readonly issued?: boolean | undefined;
  /** Where to download the invoice (standard, optional). Absent: not given. */
  readonly taxInvoiceURL?: string | undefined;
};
