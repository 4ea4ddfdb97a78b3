import * as z from 'zod';
import { type AvailabilityStatus, statusSchema } from './common.js';
import { type Availability, availabilitySchema } from './merchant/availability.js';
import { type BasicInfo, basicInfoSchema } from './merchant/basic-info.js';
import { type Item, itemSchema } from './merchant/item.js';
import {
  type Category,
  categorySchema,
  itemOfferSchema,
  type MenuEntry,
  menuSchema,
  type Offer,
} from './merchant/menu.js';
import { type OptionGroup, optionGroupSchema } from './merchant/option-group.js';
import { type Service, serviceSchema } from './merchant/service.js';
import { bySpec, expected, formatted, id, wireObject } from './wire.js';

/** @see Spec §2.2 */
export const merchantSchema = wireObject({
  lastUpdate: expected(formatted('datetime')),
  TTL: expected(z.number()),
  id: expected(id({ format: 'merchantId' })),
  status: statusSchema,
  basicInfo: basicInfoSchema.default({}),
  services: z.array(serviceSchema).default([]),
  menus: z.array(menuSchema).default([]),
  categories: z.array(categorySchema).default([]),
  itemOffers: z.array(itemOfferSchema).default([]),
  items: z.array(itemSchema).default([]),
  optionGroups: bySpec(z.array(optionGroupSchema).default([])),
  availabilities: bySpec(z.array(availabilitySchema).default([])),
});

/**
 * The merchant document: a store's profile and menu, with the field names of the wire format.
 *
 * Its arrays refer to each other by id: a service sells a menu, a menu lists categories, a category lists offers, and
 * an offer is an item at a price with option groups. `new Menu(merchant)` resolves the ids.
 *
 * @see Spec §2.2
 */
export type Merchant = {
  /**
   * When the document last changed, as an ISO 8601 date-time. It decides whether a fetched copy is newer. Required by
   * Spec §2.2; absence is an issue, and then the content decides.
   */
  readonly lastUpdate?: string | undefined;
  /**
   * How long to cache the document, in seconds, 500 to 86400 (Spec §2.2). The client limits it to that range. Absence
   * is an issue and means 500. `MerchantSnapshot.expiresAt` is the resulting instant.
   */
  readonly TTL?: number | undefined;
  /** The store's id: the CNPJ (14 digits), a hyphen and a UUID. Required by Spec §2.2; absence is an issue. */
  readonly id?: string | undefined;
  /** UNAVAILABLE: the whole store has stopped for an unknown time (Spec §2.2). Always present: AVAILABLE by default. */
  readonly status: AvailabilityStatus;
  /** Name, address and other facts about the store (Spec §2.3). Always present: empty if the hub leaves it out. */
  readonly basicInfo: BasicInfo;
  /** The ways to order: delivery, takeout, indoor (Spec §2.4). Always present: empty if the hub leaves it out. */
  readonly services: readonly Service[];
  /** The menus; a service refers to one by `menuId` (Spec §2.5). Always present: empty if the hub leaves it out. */
  readonly menus: readonly MenuEntry[];
  /** The sections of the menus (Spec §2.6). Always present: empty if the hub leaves it out. */
  readonly categories: readonly Category[];
  /** The items at their prices (Spec §2.7). Always present: empty if the hub leaves it out. */
  readonly itemOffers: readonly Offer[];
  /** What offers and options refer to by `itemId` (Spec §2.8). Always present: empty if the hub leaves it out. */
  readonly items: readonly Item[];
  /** The choices that customers have with an offer (Spec §2.9). Always present: empty if the hub leaves it out. */
  readonly optionGroups: readonly OptionGroup[];
  /** When categories and offers can be ordered (Spec §2.10). Always present: empty if the hub leaves it out. */
  readonly availabilities: readonly Availability[];
};
