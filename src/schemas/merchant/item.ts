import * as z from 'zod';
import {
  type AvailabilityStatus,
  entryStatusSchema,
  type Image,
  imageSchema,
  type MeasurementUnit,
  UNITS,
} from '../common.js';
import { expected, id, openEnum, wireObject, withHints } from '../wire.js';
import { ALLERGENS } from './allergens.js';

const DIETS = [
  'DIABETIC',
  'GLUTEN_FREE',
  'HALAL',
  'HINDU',
  'KOSHER',
  'LOW_CALORIE',
  'LOW_FAT',
  'LOW_LACTOSE',
  'LOW_SALT',
  'VEGAN',
  'VEGETARIAN',
] as const;

/** A diet or a rule of religion that an item is suitable for (standard v1.7.1). */
export type Diet =
  | 'DIABETIC'
  | 'GLUTEN_FREE'
  | 'HALAL'
  | 'HINDU'
  | 'KOSHER'
  | 'LOW_CALORIE'
  | 'LOW_FAT'
  | 'LOW_LACTOSE'
  | 'LOW_SALT'
  | 'VEGAN'
  | 'VEGETARIAN'
  | (string & {});

const itemImageSchema = wireObject({
  URL: z.string(),
  type: expected(openEnum(['MAIN', 'THUMB'])),
  'CRC-32': z.string().optional(),
});

/** Spec §2.8 shows a part of it; the rest is from the standard. */
const nutritionalInfoSchema = wireObject({
  description: expected(z.string()),
  calories: expected(z.string()),
  allergen: z.array(withHints(z.string(), { values: ALLERGENS })).optional(),
  additives: z.array(z.string()).optional(),
  suitableDiet: z.array(openEnum(DIETS)).optional(),
  isAlcoholic: z.boolean().optional(),
});

/** @see Spec §2.8 */
export const itemSchema = wireObject({
  id: id(),
  name: expected(z.string()),
  description: expected(z.string()),
  externalCode: expected(id()),
  status: entryStatusSchema,
  image: imageSchema.optional(),
  images: z.array(itemImageSchema).optional(),
  nutritionalInfo: nutritionalInfoSchema.optional(),
  serving: z.number().optional(),
  unit: expected(openEnum(UNITS)),
  ean: id().optional(),
});

/** An image of an item, in one of two sizes (Spec §2.8). */
export type ItemImage = {
  /** Where to download the image. Copy it: the URL can stop working (Spec §2.8). Always present. */
  readonly URL: string;
  /** MAIN for the item's page, THUMB for lists. Required by Spec §2.8; absence is an issue. */
  readonly type?: 'MAIN' | 'THUMB' | (string & {}) | undefined;
  /** CRC-32 of the file in hex, to see that it changed (standard v1.7.1). Absent: the hub gives no checksum. */
  readonly 'CRC-32'?: string | undefined;
};

/**
 * Nutrition and allergens of an item. Spec §2.8 shows four of the fields; the others are from the standard.
 */
export type NutritionalInfo = {
  /** Free text, e.g. `Contains preservatives` (Spec §2.8). Required by the standard; absence is an issue. */
  readonly description?: string | undefined;
  /** A number or a range with its unit, e.g. `2000 Cal` or `300-350 kcal` (Spec §2.8). Required by the standard; absence is an issue. */
  readonly calories?: string | undefined;
  /** Allergens, e.g. `GLUTEN` or `NO_DECLARED_ALLERGENS` (Spec §2.8). Absent: not known; it does not mean that there are none. */
  readonly allergen?: readonly string[] | undefined;
  /** Additives, as free texts (standard v1.7.1). Absent: not known; it does not mean that there are none. */
  readonly additives?: readonly string[] | undefined;
  /** The diets that the item is suitable for (standard v1.7.1). Absent: not known. */
  readonly suitableDiet?: readonly Diet[] | undefined;
  /** Whether the item contains alcohol (Spec §2.8). Absent: not known. */
  readonly isAlcoholic?: boolean | undefined;
};

/** A product, without price. An offer sells it, or an option adds it to an offer (Spec §2.8). */
export type Item = {
  /** The id of the item (Spec §2.8). Always present: an item without it is left out. */
  readonly id: string;
  /** The name for customers. Required by Spec §2.8; absence is an issue. */
  readonly name?: string | undefined;
  /** A description for customers. Required by Spec §2.8; absence is an issue. */
  readonly description?: string | undefined;
  /** The item's code in the store's own system. Required by Spec §2.8; absence is an issue. */
  readonly externalCode?: string | undefined;
  /** UNAVAILABLE: sold out for an unknown time (Spec §2.8). Always present: AVAILABLE by default. */
  readonly status: AvailabilityStatus;
  /** The only image. Ignored if `images` has an entry (Spec §2.8). Absent: the item has no image, or has `images`. */
  readonly image?: Image | undefined;
  /** At most two images: a large one and a small one (Spec §2.8). Absent or empty: `image` applies. */
  readonly images?: readonly ItemImage[] | undefined;
  /** Nutrition and allergens (Spec §2.8). Absent: not known. */
  readonly nutritionalInfo?: NutritionalInfo | undefined;
  /** How many people the item serves (Spec §2.8, meaning from the standard). Absent: not known. */
  readonly serving?: number | undefined;
  /** What a quantity of the item counts. Required by Spec §2.8; absence is an issue. */
  readonly unit?: MeasurementUnit | undefined;
  /** The number of the barcode (EAN), as a string (Spec §2.8). Absent: the item has no barcode. */
  readonly ean?: string | undefined;
};
