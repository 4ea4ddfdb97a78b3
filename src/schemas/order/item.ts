import * as z from 'zod';
import { type MeasurementUnit, UNITS } from '../common.js';
import { type Money, moneySchema } from '../money.js';
import { expected, id, openEnum, wireObject } from '../wire.js';

/** A unit with the names that orders of older hubs have: `UNIT` was its only value in version 1.0 of the standard. */
const unit = () => openEnum(UNITS, { spellings: { UNIT: 'UN' } });

const orderItemOptionSchema = wireObject(
  {
    index: z.number().optional(),
    id: expected(id()),
    name: expected(z.string()),
    externalCode: expected(id()),
    unit: expected(unit()),
    ean: id().optional(),
    quantity: expected(z.number()),
    unitPrice: expected(moneySchema),
    originalPrice: moneySchema.optional(),
    subtotalPrice: moneySchema.optional(),
    totalPrice: expected(moneySchema),
    specialInstructions: z.string().optional(),
  },
  { aliases: { price: 'totalPrice' } },
);

/** An item is never left out, whatever fields it lacks: the kitchen still has to prepare it. */
export const orderItemSchema = wireObject({
  id: expected(id()),
  index: z.number().optional(),
  name: expected(z.string()),
  externalCode: expected(id()),
  unit: expected(unit()),
  ean: id().optional(),
  quantity: expected(z.number()),
  specialInstructions: z.string().optional(),
  unitPrice: expected(moneySchema),
  originalPrice: moneySchema.optional(),
  scalePriceApplied: z.boolean().optional(),
  optionsPrice: moneySchema.optional(),
  subtotalPrice: moneySchema.optional(),
  totalPrice: expected(moneySchema),
  indoor: wireObject({ productionPoint: z.string().optional() }).optional(),
  options: z.array(orderItemOptionSchema).optional(),
});

/** An option that the customer chose for an item of an order (standard v1.7.1). */
export type OrderItemOption = {
  /** The position among the item's options; lower is earlier (standard, optional). Absent: as in the array. */
  readonly index?: number | undefined;
  /** The id of the item that was chosen as the option. Required by the standard; absence is an issue. */
  readonly id?: string | undefined;
  /** The name for the kitchen. Required by the standard; absence is an issue. */
  readonly name?: string | undefined;
  /** The product's code in the store's own system. Required by the standard; absence is an issue. */
  readonly externalCode?: string | undefined;
  /**
   * What `quantity` counts; `kg` is read as `KG`, and `UNIT`, as version 1.0 of the standard has it, as `UN`. Required
   * by the standard; absence is an issue.
   */
  readonly unit?: MeasurementUnit | undefined;
  /** The number of the barcode (EAN), as a string (standard, optional). Absent: the product has no barcode. */
  readonly ean?: string | undefined;
  /** How much, in `unit`; a fraction for weights: 0.5 KG. Required by the standard; absence is an issue. */
  readonly quantity?: number | undefined;
  /** The price of one unit, as the customer pays it. Required by the standard; absence is an issue. */
  readonly unitPrice?: Money | undefined;
  /** The list price of one unit, for information only (standard, optional). Absent: there was no markdown. */
  readonly originalPrice?: Money | undefined;
  /** `quantity` × `unitPrice`, for information only (standard, optional). Absent: not given. */
  readonly subtotalPrice?: Money | undefined;
  /** `quantity` × `unitPrice`. Required by the standard; absence is an issue. */
  readonly totalPrice?: Money | undefined;
  /** A wish of the customer for this option, as free text (standard, optional). Absent: not given. */
  readonly specialInstructions?: string | undefined;
};

/** What an item of an INDOOR order has in addition (standard v1.7.1). */
export type OrderItemIndoor = {
  /** The kitchen or bar that prepares the item, as agreed with the hub (standard, optional). Absent: the usual one. */
  readonly productionPoint?: string | undefined;
};

/** One item of an order, with its quantity and options (standard v1.7.1). */
export type OrderItem = {
  /** The id of the item in the order. Required by the standard; absence is an issue. */
  readonly id?: string | undefined;
  /** The position in the order; lower is earlier (standard, optional). Absent: as in the array. */
  readonly index?: number | undefined;
  /** The name for the kitchen. Required by the standard; absence is an issue. */
  readonly name?: string | undefined;
  /** The product's code in the store's own system. Required by the standard; absence is an issue. */
  readonly externalCode?: string | undefined;
  /**
   * What `quantity` counts; `kg` is read as `KG`, and `UNIT`, as version 1.0 of the standard has it, as `UN`. Required
   * by the standard; absence is an issue.
   */
  readonly unit?: MeasurementUnit | undefined;
  /** The number of the barcode (EAN), as a string (standard, optional). Absent: the product has no barcode. */
  readonly ean?: string | undefined;
  /** How much, in `unit`; a fraction for weights: 0.5 KG. Required by the standard; absence is an issue. */
  readonly quantity?: number | undefined;
  /** A wish of the customer for this item, as free text (standard, optional). Absent: not given. */
  readonly specialInstructions?: string | undefined;
  /** The price of one unit without options, as the customer pays it. Required by the standard; absence is an issue. */
  readonly unitPrice?: Money | undefined;
  /** The list price of one unit, for information only (standard, optional). Absent: there was no markdown. */
  readonly originalPrice?: Money | undefined;
  /** Whether `unitPrice` is lower because of the quantity (standard, optional). Absent: it is not. */
  readonly scalePriceApplied?: boolean | undefined;
  /** The sum of `totalPrice` over the options of one unit (standard, optional). Absent: there are no options. */
  readonly optionsPrice?: Money | undefined;
  /** `quantity` × `unitPrice`, without options, for information only (standard, optional). Absent: not given. */
  readonly subtotalPrice?: Money | undefined;
  /** `quantity` × (`unitPrice` + `optionsPrice`). Required by the standard; absence is an issue. */
  readonly totalPrice?: Money | undefined;
  /** Details of an INDOOR order (standard, optional). Absent: there are none. */
  readonly indoor?: OrderItemIndoor | undefined;
  /** The options that the customer chose (standard, optional). Absent: none were chosen. */
  readonly options?: readonly OrderItemOption[] | undefined;
};
