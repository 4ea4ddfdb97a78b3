import * as z from 'zod';
import { type AvailabilityStatus, entryStatusSchema, statusSchema } from '../common.js';
import { type OfferPrice, offerPriceSchema } from '../money.js';
import { bySpec, decisive, expected, id, openEnum, wireObject } from '../wire.js';

/** @see Spec §2.9 */
export const optionSchema = wireObject({
  id: id(),
  itemId: bySpec(expected(id())),
  index: bySpec(expected(z.number())),
  status: entryStatusSchema,
  /** Without a price it is free: one whose price cannot be read is left out. */
  price: decisive(bySpec(expected(offerPriceSchema))),
  maxPermitted: bySpec(expected(z.number())),
});

/** Spec §2.9. SUM is the standard's default for `priceMethod`. */
export const optionGroupSchema = wireObject({
  id: id(),
  index: expected(z.number()),
  name: expected(z.string()),
  description: z.string().optional(),
  externalCode: expected(id()),
  status: statusSchema,
  minPermitted: expected(z.number()),
  maxPermitted: expected(z.number()),
  priceMethod: bySpec(openEnum(['SUM', 'MAX', 'AVG'], { spellings: {} }).default('SUM')),
  options: z.array(optionSchema).optional(),
});

/** One choice within an option group (Spec §2.9). */
export type Option = {
  /** The id of the option (Spec §2.9). Always present: an option without it is left out. */
  readonly id: string;
  /** The id of an entry of `items`, which has the name. Required by Spec §2.9; absence is an issue. */
  readonly itemId?: string | undefined;
  /** The position in the group; lower is earlier. Required by Spec §2.9; absence is an issue. */
  readonly index?: number | undefined;
  /** UNAVAILABLE: sold out for an unknown time (Spec §2.9). Always present: AVAILABLE by default. */
  readonly status: AvailabilityStatus;
  /** The price of one. Required by Spec §2.9; absence is an issue and means free of charge. */
  readonly price?: OfferPrice | undefined;
  /** How many of this option a customer can choose. Required by Spec §2.9; absence is an issue and means no limit. */
  readonly maxPermitted?: number | undefined;
};

/** A choice that a customer has with an offer, such as the size or the toppings (Spec §2.9). */
export type OptionGroup = {
  /** The id of the group (Spec §2.9). Always present: a group without it is left out. */
  readonly id: string;
  /** The position among the offer's groups; lower is earlier. Required by Spec §2.9; absence is an issue. */
  readonly index?: number | undefined;
  /** The name for customers. Required by Spec §2.9; absence is an issue. */
  readonly name?: string | undefined;
  /** A description for customers (Spec §2.9). Absent: not given. */
  readonly description?: string | undefined;
  /** The group's code in the store's own system. Required by Spec §2.9; absence is an issue. */
  readonly externalCode?: string | undefined;
  /** UNAVAILABLE: stopped for an unknown time (Spec §2.9). Always present: AVAILABLE by default. */
  readonly status: AvailabilityStatus;
  /** The fewest options that a customer must choose. Required by Spec §2.9; absence is an issue and means 0. */
  readonly minPermitted?: number | undefined;
  /** The most options that a customer can choose. Required by Spec §2.9; absence is an issue and means no limit. */
  readonly maxPermitted?: number | undefined;
  /**
   * How the chosen options count. SUM: they are added. MAX: the dearest of all MAX groups is added. AVG: the average
   * over all AVG groups is added. Required by Spec §2.9. Always present: SUM if the hub leaves it out.
   */
  readonly priceMethod: 'SUM' | 'MAX' | 'AVG' | (string & {});
  /** The choices (Spec §2.9). Absent: there are none. */
  readonly options?: readonly Option[] | undefined;
};
