import * as z from 'zod';
import { CARD_BRANDS, type CardBrand, type Image, imageSchema, OLD_ADDRESS_KEYS } from '../common.js';
import { type Money, moneySchema } from '../money.js';
import { bySpec, expected, formatted, openEnum, wireObject } from '../wire.js';
import { MERCHANT_CATEGORIES, type MerchantCategory } from './merchant-category.js';

/** @see Spec §2.3 */
export const addressSchema = wireObject(
  {
    country: expected(z.string()),
    state: expected(z.string()),
    city: expected(z.string()),
    district: expected(z.string()),
    street: expected(z.string()),
    number: expected(z.string()),
    postalCode: expected(z.string()),
    complement: expected(z.string()),
    reference: z.string().optional(),
    latitude: expected(z.number()),
    longitude: expected(z.number()),
  },
  { aliases: OLD_ADDRESS_KEYS },
);

/** @see Spec §2.3 */
export const contactPhonesSchema = wireObject({
  commercialNumber: expected(z.string()),
  whatsappNumber: z.string().optional(),
});

/** @see Spec §2.3 */
export const basicInfoSchema = wireObject({
  name: expected(z.string()),
  document: expected(formatted('cnpj')),
  corporateName: expected(z.string()),
  description: expected(z.string()),
  averageTicket: z.number().optional(),
  averagePreparationTime: expected(z.number()),
  minOrderValue: expected(moneySchema),
  merchantType: expected(openEnum(['RESTAURANT'])),
  merchantCategories: expected(z.array(openEnum(MERCHANT_CATEGORIES))),
  address: expected(addressSchema),
  contactEmails: expected(z.array(z.string())),
  contactPhones: expected(contactPhonesSchema),
  logoImage: expected(imageSchema),
  bannerImage: imageSchema.optional(),
  createdAt: bySpec(expected(formatted('datetime'))),
  acceptedCards: bySpec(expected(z.array(openEnum([...CARD_BRANDS, 'PIX'])))),
});

/** The store's address (Spec §2.3). */
export type Address = {
  /** Two-letter ISO 3166-1 code, e.g. `BR`. Required by Spec §2.3; absence is an issue. */
  readonly country?: string | undefined;
  /** State, e.g. `SP` or, by ISO 3166-2, `BR-SP`. Required by Spec §2.3; absence is an issue. */
  readonly state?: string | undefined;
  /** City. Required by Spec §2.3; absence is an issue. */
  readonly city?: string | undefined;
  /** Neighborhood (bairro). Required by Spec §2.3; absence is an issue. */
  readonly district?: string | undefined;
  /** Street. Required by Spec §2.3; absence is an issue. */
  readonly street?: string | undefined;
  /** House number, a string because of `12-A` and `s/n`. Required by Spec §2.3; absence is an issue. */
  readonly number?: string | undefined;
  /** Postal code (CEP), e.g. `20111-000`. Required by Spec §2.3; absence is an issue. */
  readonly postalCode?: string | undefined;
  /** Building, floor or unit. Required by Spec §2.3; absence is an issue. */
  readonly complement?: string | undefined;
  /** A hint for finding the place, e.g. `yellow house` (standard v1.7.1). Absent: no hint. */
  readonly reference?: string | undefined;
  /** Decimal degrees, -90 to 90. Required by Spec §2.3; absence is an issue. */
  readonly latitude?: number | undefined;
  /** Decimal degrees, -180 to 180. Required by Spec §2.3; absence is an issue. */
  readonly longitude?: number | undefined;
};

/** The store's telephone numbers. The spec does not define their format (Spec §2.3). */
export type ContactPhones = {
  /** The store's telephone number. Required by Spec §2.3; absence is an issue. */
  readonly commercialNumber?: string | undefined;
  /** The store's WhatsApp number (Spec §2.3). Absent: the store has none. */
  readonly whatsappNumber?: string | undefined;
};

/** Facts about the store (Spec §2.3). */
export type BasicInfo = {
  /** The name that customers know. Required by Spec §2.3; absence is an issue. */
  readonly name?: string | undefined;
  /** CNPJ: 14 digits without punctuation. Required by Spec §2.3; absence is an issue. */
  readonly document?: string | undefined;
  /** The legal name of the company. Required by Spec §2.3; absence is an issue. */
  readonly corporateName?: string | undefined;
  /** A description for customers. Required by Spec §2.3; absence is an issue. */
  readonly description?: string | undefined;
  /** What an order costs on average, in reais (Spec §2.3). Absent: not published. */
  readonly averageTicket?: number | undefined;
  /** How long the store takes to prepare an order on average, in minutes. Required by Spec §2.3; absence is an issue. */
  readonly averagePreparationTime?: number | undefined;
  /** The smallest order that the store accepts. Required by Spec §2.3; absence is an issue and means no minimum. */
  readonly minOrderValue?: Money | undefined;
  /** Always `RESTAURANT` by Spec §2.3. Absence is an issue. */
  readonly merchantType?: 'RESTAURANT' | (string & {}) | undefined;
  /** The cuisines of the store. Required by Spec §2.3; absence is an issue. */
  readonly merchantCategories?: readonly MerchantCategory[] | undefined;
  /** Where the store is. Required by Spec §2.3; absence is an issue. */
  readonly address?: Address | undefined;
  /** E-mail addresses of the store. Required by Spec §2.3; absence is an issue. */
  readonly contactEmails?: readonly string[] | undefined;
  /** Telephone numbers of the store. Required by Spec §2.3; absence is an issue. */
  readonly contactPhones?: ContactPhones | undefined;
  /** The store's logo. Required by Spec §2.3; absence is an issue. */
  readonly logoImage?: Image | undefined;
  /** A wide image for the head of the store's page (Spec §2.3). Absent: the store has none. */
  readonly bannerImage?: Image | undefined;
  /** When the store was created, as an ISO 8601 date-time. Required by Spec §2.3; absence is an issue. */
  readonly createdAt?: string | undefined;
  /**
   * The card brands and payment methods that the store accepts. Required by Spec §2.3, and missing in most real
   * documents; absence is an issue and does not mean that the store accepts no cards.
   */
  readonly acceptedCards?: readonly (CardBrand | 'PIX')[] | undefined;
};
