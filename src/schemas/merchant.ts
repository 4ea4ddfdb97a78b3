import * as z from 'zod';
import {
  CARD_BRANDS,
  hoursSchema,
  imageSchema,
  offerPriceSchema,
  PRIORITIES,
  priceSchema,
  statusSchema,
  TIMINGS,
  timePeriodSchema,
  UNITS,
} from './common.js';
import { type DeepReadonly, expected, formatted, hinted, id, openEnum, wireObject } from './wire.js';

const ids = () => z.array(id());
const code = () => expected(id());

/** Cuisine categories of the standard (Spec §2.3). */
export const MERCHANT_CATEGORIES = [
  'BURGERS',
  'PIZZA',
  'FAST_FOOD',
  'HOT_DOG',
  'JAPANESE',
  'DESSERTS',
  'AMERICAN',
  'ICE_CREAM',
  'BBQ',
  'SANDWICH',
  'MEXICAN',
  'BRAZILIAN',
  'PASTRY',
  'ARABIAN',
  'COMFORT_FOOD',
  'VEGETARIAN',
  'VEGAN',
  'BAKERY',
  'HEALTHY',
  'ITALIAN',
  'CHINESE',
  'JUICE_SMOOTHIES',
  'SEAFOOD',
  'CAFE',
  'SALADS',
  'COFFEE_TEA',
  'PASTA',
  'BREAKFAST_BRUNCH',
  'LATIN_AMERICAN',
  'CONVENIENCE',
  'PUB',
  'HAWAIIAN',
  'EUROPEAN',
  'FAMILY_MEALS',
  'FRENCH',
  'INDIAN',
  'PORTUGUESE',
  'SPANISH',
  'GOURMET',
  'KIDS_FRIENDLY',
  'SOUTH_AMERICAN',
  'SPECIALTY_FOODS',
  'ARGENTINIAN',
  'PREMIUM',
  'AFFORDABLE_MEALS',
] as const;

/** Spec §2.3. */
export const basicInfoSchema = wireObject({
  name: expected(z.string()),
  document: expected(formatted('cnpj')),
  corporateName: expected(z.string()),
  description: expected(z.string()),
  averageTicket: z.number().optional(),
  averagePreparationTime: expected(z.number()),
  minOrderValue: expected(priceSchema),
  merchantType: expected(openEnum(['RESTAURANT'])),
  merchantCategories: expected(z.array(openEnum(MERCHANT_CATEGORIES))),
  address: expected(
    wireObject({
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
    }),
  ),
  contactEmails: expected(z.array(z.string())),
  contactPhones: expected(
    wireObject({ commercialNumber: expected(z.string()), whatsappNumber: z.string().optional() }),
  ),
  logoImage: expected(imageSchema),
  bannerImage: imageSchema.optional(),
  createdAt: expected(formatted('datetime')),
  acceptedCards: expected(z.array(openEnum([...CARD_BRANDS, 'PIX']))),
});

const geoCoordinates = wireObject({ latitude: z.number(), longitude: z.number() });

/** Spec §2.4; `polygon` and `exclusionAreaPolygon` are the standard's. */
export const serviceAreaSchema = wireObject({
  id: expected(id({ format: 'uuid' })),
  geoRadius: wireObject({
    geoMidpointLatitude: z.number(),
    geoMidpointLongitude: z.number(),
    radius: z
      .array(
        wireObject({
          /** As the hub means it: the spec shows no unit. */
          size: z.number(),
          price: expected(priceSchema),
          /** Minutes in the standard; the spec shows no unit. */
          estimateDeliveryTime: expected(z.number()),
        }),
      )
      .default([]),
  }).optional(),
  polygon: z
    .array(
      wireObject({
        geoCoordinates: z.array(geoCoordinates),
        price: expected(priceSchema),
        estimateDeliveryTime: expected(z.number()),
      }),
    )
    .optional(),
  exclusionAreaPolygon: z.array(wireObject({ geoCoordinates: z.array(geoCoordinates) })).optional(),
});

/** Spec §2.4; a holiday without times is closed all day. */
export const serviceHoursSchema = wireObject({
  id: expected(id({ format: 'uuid' })),
  weekHours: hoursSchema.default([]),
  holidayHours: hinted(
    z.array(wireObject({ date: formatted('date'), timePeriods: timePeriodSchema.optional() })),
    { spreadKey: 'timePeriods' },
  ).default([]),
});

/** Spec §2.4. */
export const serviceSchema = wireObject({
  id: id(),
  status: statusSchema,
  serviceType: expected(openEnum(['DELIVERY', 'TAKEOUT', 'INDOOR'])),
  serviceTiming: wireObject({
    timing: z.array(openEnum(TIMINGS)).default(['INSTANT']),
    schedule: wireObject({
      scheduleTimeWindow: formatted('window').optional(),
      scheduleStartWindow: formatted('window').optional(),
      scheduleEndWindow: formatted('window').optional(),
    }).optional(),
  }).optional(),
  servicePriority: z.array(openEnum(PRIORITIES)).optional(),
  menuId: expected(id()),
  targetAppId: id().optional(),
  serviceArea: serviceAreaSchema.optional(),
  serviceHours: expected(serviceHoursSchema),
});

/** Spec §2.5; without `categoryId` a menu holds all categories. */
export const menuSchema = wireObject({
  id: id(),
  name: expected(z.string()),
  description: z.string().optional(),
  externalCode: code(),
  disclaimer: z.string().optional(),
  disclaimerURL: z.string().optional(),
  categoryId: expected(ids()),
});

/** Spec §2.6; without `itemOfferId` a category holds all offers, without `availabilityId` it is always available. */
export const categorySchema = wireObject({
  id: id(),
  index: expected(z.number()),
  name: expected(z.string()),
  description: z.string().optional(),
  image: imageSchema.optional(),
  externalCode: code(),
  status: statusSchema,
  availabilityId: ids().optional(),
  itemOfferId: ids().optional(),
});

/** Spec §2.7. */
export const itemOfferSchema = wireObject({
  id: id(),
  itemId: id(),
  index: expected(z.number()),
  status: statusSchema,
  price: offerPriceSchema,
  availabilityId: ids().optional(),
  optionGroupsId: ids().optional(),
});

/** Allergens the standard names; the spec's list is not shown. */
export const ALLERGENS = (
  'ALMONDS ALPHA_ISOMETHYL_IONONE ALCOHOL AMYL_CINNAMAL ANISE_ALCOHOL BARLEY BENZYL_ALCOHOL BENZYL_BENZOATE ' +
  'BENZYL_CINNAMATE BENZYL_SALICYLATE BRAZIL_NUTS BUTYLPHENYL_METHYLPROPIONATE CARROTS CASHEW_NUTS CELERY ' +
  'CEREALS_CONTAINING_GLUTEN CINNAMAL CINNAMYL_ALCOHOL CITRAL CITRONELLOL COCOA CORIANDER CORN COUMARIN ' +
  'CRUSTACEANS EGGS EUGENOL EVERNIA_FURFURACEA EVERNIA_PRUNASTRI FARNESOL FISH GERANIOL GLUTEN HAZELNUTS ' +
  'HEXYL_CINNAMAL HYDROXYCITRONELLAL KAMUT LACTOSE LUPINE MACADAMIA_NUTS METHYL_2_OCTYNOATE MILK MOLLUSCS ' +
  'MUSTARD NO_DECLARED_ALLERGENS OAT PEANUTS PEAS PECAN_NUTS PISTACHIOS POD_FRUITS QUEENSLAND_NUTS RYE ' +
  'SESAME_SEEDS SOYBEANS SPELT SULPHUR_DIOXIDE TREE_NUTS TREE_NUT_TRACES WALNUTS WHEAT'
).split(' ');

/** Spec §2.8; of `nutritionalInfo` the spec shows a part, the rest is the standard's. */
export const itemSchema = wireObject({
  id: id(),
  name: expected(z.string()),
  description: expected(z.string()),
  externalCode: code(),
  status: statusSchema,
  image: imageSchema.optional(),
  images: z
    .array(
      wireObject({
        URL: z.string(),
        type: expected(openEnum(['MAIN', 'THUMB'])),
        'CRC-32': z.string().optional(),
      }),
    )
    .optional(),
  nutritionalInfo: wireObject({
    description: z.string().optional(),
    calories: z.string().optional(),
    allergen: z.array(openEnum(ALLERGENS)).optional(),
    additives: z.array(z.string()).optional(),
    suitableDiet: z
      .array(
        openEnum([
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
        ]),
      )
      .optional(),
    isAlcoholic: z.boolean().optional(),
  }).optional(),
  serving: z.number().optional(),
  unit: expected(openEnum(UNITS)),
  ean: id().optional(),
});

/** Spec §2.9. */
export const optionSchema = wireObject({
  id: id(),
  itemId: expected(id()),
  index: expected(z.number()),
  status: statusSchema,
  price: expected(offerPriceSchema),
  maxPermitted: expected(z.number()),
});

/** Spec §2.9; the standard's default for `priceMethod` is SUM. */
export const optionGroupSchema = wireObject({
  id: id(),
  index: expected(z.number()),
  name: expected(z.string()),
  description: z.string().optional(),
  externalCode: code(),
  status: statusSchema,
  minPermitted: expected(z.number()),
  maxPermitted: expected(z.number()),
  priceMethod: openEnum(['SUM', 'MAX', 'AVG']).default('SUM'),
  options: z.array(optionSchema).optional(),
});

/** Spec §2.10. */
export const availabilitySchema = wireObject({
  id: id(),
  startDate: formatted('date').optional(),
  endDate: formatted('date').optional(),
  hours: hoursSchema.default([]),
});

/**
 * The merchant document: a store's profile and menu.
 *
 * @see Spec §2.2
 */
export const merchantSchema = wireObject({
  lastUpdate: expected(formatted('datetime')),
  /** Seconds; `MerchantSnapshot.expiresAt` is made of it. */
  TTL: expected(z.number()),
  id: expected(id({ format: 'merchantId' })),
  status: statusSchema,
  basicInfo: basicInfoSchema.default({}),
  services: z.array(serviceSchema).default([]),
  menus: z.array(menuSchema).default([]),
  categories: z.array(categorySchema).default([]),
  itemOffers: z.array(itemOfferSchema).default([]),
  items: z.array(itemSchema).default([]),
  optionGroups: z.array(optionGroupSchema).default([]),
  availabilities: z.array(availabilitySchema).default([]),
});

/** A store's profile and menu with its wire names, as the lenient reading leaves it (Spec §2.2). */
export type Merchant = DeepReadonly<z.output<typeof merchantSchema>>;
export type BasicInfo = Merchant['basicInfo'];
export type Service = Merchant['services'][number];
export type MenuEntry = Merchant['menus'][number];
export type Category = Merchant['categories'][number];
export type ItemOffer = Merchant['itemOffers'][number];
export type Item = Merchant['items'][number];
export type OptionGroup = Merchant['optionGroups'][number];
export type Option = NonNullable<OptionGroup['options']>[number];
export type Availability = Merchant['availabilities'][number];
