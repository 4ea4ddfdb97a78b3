import * as z from 'zod';
import { expected, id, wireObject } from '../wire.js';

const phoneSchema = wireObject(
  { number: expected(z.string()), extension: z.string().optional() },
  { bareKey: 'number' },
);

export const orderCustomerSchema = wireObject({
  id: expected(id()),
  name: expected(z.string()),
  documentNumber: z.string().optional(),
  phone: expected(phoneSchema),
  email: z.string().optional(),
  ordersCountOnMerchant: expected(z.number()),
});

/** A telephone number for questions about an order: the customer's, or a call center's (standard v1.7.1). */
export type CustomerPhone = {
  /** The number; the standard does not define its format. Required by the standard; absence is an issue. */
  readonly number?: string | undefined;
  /** The extension to dial after the number (standard, optional). Absent: not given. */
  readonly extension?: string | undefined;
};

/** The customer of an order (standard v1.7.1). This is personal data. */
export type OrderCustomer = {
  /**
   * The customer's id at the ordering application, or an id that was made for this order. Required by the standard;
   * absence is an issue.
   */
  readonly id?: string | undefined;
  /** The customer's name. Required by the standard; absence is an issue. */
  readonly name?: string | undefined;
  /** CPF or CNPJ for the tax invoice (standard, optional). Absent: the customer wants no document on the invoice. */
  readonly documentNumber?: string | undefined;
  /** Whom to call about the order; a bare string is read as its `number`. Required by the standard; absence is an issue. */
  readonly phone?: CustomerPhone | undefined;
  /** E-mail address for the tax invoice (standard, optional). Absent: not given. */
  readonly email?: string | undefined;
  /** How many orders the customer placed at this store before. Required by the standard; absence is an issue. */
  readonly ordersCountOnMerchant?: number | undefined;
};
