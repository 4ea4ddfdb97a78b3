import * as z from 'zod';
import {
  type AvailabilityStatus,
  entryStatusSchema,
  type Image,
  imageSchema,
  statusSchema,
} from '../common.js';
import { type OfferPrice, offerPriceSchema } from '../money.js';
import { expected, id, wireObject } from '../wire.js';

/** @see Spec §2.5 */
export const menuSchema = wireObject({
  id: id(),
  name: expected(z.string()),
  description: z.string().optional(),
  externalCode: expected(id()),
  disclaimer: z.string().optional(),
  disclaimerURL: z.string().optional(),
  categoryId: expected(z.array(id())),
});

/** @see Spec §2.6 */
export const categorySchema = wireObject({
  id: id(),
  index: expected(z.number()),
  name: expected(z.string()),
  description: z.string().optional(),
  image: imageSchema.optional(),
  externalCode: expected(id()),
  status: statusSchema,
  availabilityId: z.array(id()).optional(),
  itemOfferId: z.array(id()).optional(),
});

/** @see Spec §2.7 */
export const itemOfferSchema = wireObject({
  id: id(),
  itemId: id(),
  index: expected(z.number()),
  status: entryStatusSchema,
  price: offerPriceSchema,
  availabilityId: z.array(id()).optional(),
  optionGroupsId: z.array(id()).optional(),
});

/** A menu, as an entry of the merchant document. The class `Menu` computes with the whole document (Spec §2.5). */
export type MenuEntry = {
  /** The id of the menu (Spec §2.5). Always present: a menu without it is left out. */
  readonly id: string;
  /** The name for customers. Required by Spec §2.5; absence is an issue. */
  readonly name?: string | undefined;
  /** A description for customers (Spec §2.5). Absent: the menu has no description. */
  readonly description?: string | undefined;
  /** The menu's code in the store's own system. Required by Spec §2.5; absence is an issue. */
  readonly externalCode?: string | undefined;
  /** A legal or other notice for customers (Spec §2.5). Absent: the menu has no notice. */
  readonly disclaimer?: string | undefined;
  /** The URL of a longer notice (Spec §2.5). Absent: the menu has no longer notice. */
  readonly disclaimerURL?: string | undefined;
  /** Ids of `categories`. Required by Spec §2.5; absence is an issue and means all categories of the document. */
  readonly categoryId?: readonly string[] | undefined;
};

/** A section of a menu (Spec §2.6). */
export type Category = {
  /** The id of the category (Spec §2.6). Always present: a category without it is left out. */
  readonly id: string;
  /** The position in the menu; lower is earlier. Required by Spec §2.6; absence is an issue. */
  readonly index?: number | undefined;
  /** The name for customers. Required by Spec §2.6; absence is an issue. */
  readonly name?: string | undefined;
  /** A description for customers (Spec §2.6). Absent: the category has no description. */
  readonly description?: string | undefined;
  /** An image for the head of the section (Spec §2.6). Absent: the category has no image. */
  readonly image?: Image | undefined;
  /** The category's code in the store's own system. Required by Spec §2.6; absence is an issue. */
  readonly externalCode?: string | undefined;
  /** UNAVAILABLE: sold out for an unknown time (Spec §2.6). Always present: AVAILABLE by default. */
  readonly status: AvailabilityStatus;
  /** Ids of `availabilities` (Spec §2.6). Absent: available at all times. */
  readonly availabilityId?: readonly string[] | undefined;
  /** Ids of `itemOffers` (Spec §2.6). Absent: all offers of the document. */
  readonly itemOfferId?: readonly string[] | undefined;
};

/** An item at a price: what a customer puts into a cart (Spec §2.7). */
export type Offer = {
  /** The id of the offer (Spec §2.7). Always present: an offer without it is left out. */
  readonly id: string;
  /** The id of an entry of `items` (Spec §2.7). Always present: an offer without it is left out. */
  readonly itemId: string;
  /** The position in the category; lower is earlier. Required by Spec §2.7; absence is an issue. */
  readonly index?: number | undefined;
  /** UNAVAILABLE: sold out for an unknown time (Spec §2.7). Always present: AVAILABLE by default. */
  readonly status: AvailabilityStatus;
  /** The price of one, without options (Spec §2.7). Always present: an offer without it is left out. */
  readonly price: OfferPrice;
  /** Ids of `availabilities` (Spec §2.7). Absent: available at all times. */
  readonly availabilityId?: readonly string[] | undefined;
  /** Ids of `optionGroups` (Spec §2.7). Absent: the customer has no choices. */
  readonly optionGroupsId?: readonly string[] | undefined;
};

/** `Offer` under the name that the wire format gives it. */
export type ItemOffer = Offer;
