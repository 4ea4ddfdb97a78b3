import { EVENT_TYPES } from '../../schemas/event-types.js';
import { ALLERGENS } from '../../schemas/merchant/allergens.js';
import { MERCHANT_CATEGORIES } from '../../schemas/merchant/merchant-category.js';

type IsHarmless = (value: unknown) => boolean;

/** The values of the standard's enumerations, apart from those that are listed elsewhere. */
const WORDS: ReadonlySet<unknown> = new Set([
  ...ALLERGENS,
  ...MERCHANT_CATEGORIES,
  ...EVENT_TYPES,
  ...(
    'DELIVERY TAKEOUT INDOOR INSTANT SCHEDULED ONDEMAND AVAILABLE UNAVAILABLE MERCHANT MARKETPLACE CHAIN ' +
    'LOGISTIC_SERVICES DEFAULT PICKUP_AREA PLACE TAB TERMINAL PREPAID PENDING CREDIT DEBIT MEAL_VOUCHER ' +
    'FOOD_VOUCHER DIGITAL_WALLET PIX CASH CREDIT_DEBIT COUPON REDEEM PREPAID_REDEEM OTHER VISA MASTERCARD DINERS ' +
    'AMEX HIPERCARD ELO AURA DISCOVER VR_BENEFICIOS SODEXO TICKET GOOD_CARD BANESCARD SOROCARD POLICARD VALECARD ' +
    'AGICARD JCB CREDSYSTEM CABAL GREEN_CARD VEROCHEQUE AVISTA DELIVERY_FEE SERVICE_FEE TIP MIN_ORDER_FEE CART ' +
    'ITEM UN UNIT KG L OZ LB GAL PRIORITY1 PRIORITY2 PRIORITY3 PRIORITY4 PRIORITY5 FOOD GROCERY DRUGSTORE ' +
    'PETSTORE RESTAURANT SUM MAX AVG MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY MAIN THUMB ' +
    'DIABETIC GLUTEN_FREE HALAL HINDU KOSHER LOW_CALORIE LOW_FAT LOW_LACTOSE LOW_SALT VEGAN VEGETARIAN'
  ).split(' '),
]);

const isWord: IsHarmless = (value) => WORDS.has(value);

/** Of a discount. A person may have the name of any other word. */
const isSponsor: IsHarmless = (value) => value === 'MARKETPLACE' || value === 'MERCHANT' || value === 'CHAIN';

/** Larger numbers could be a document or a telephone number, and more decimal places a position. */
const isSmallNumber: IsHarmless = (value) =>
  typeof value === 'number' && Math.abs(value) < 1e7 && /^-?\d+(?:\.\d{1,4})?$/.test(String(value));

/** Some hubs send amounts as strings. */
const isAmount: IsHarmless = (value) =>
  isSmallNumber(value) || (typeof value === 'string' && /^-?\d{1,6}(?:\.\d{1,4})?$/.test(value));

const isCurrency: IsHarmless = (value) => value === 'BRL';

const DATE_TIME =
  /^(?:19|20)\d\d-[01]\d-[0-3]\d(?:T[0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-][01]\d:?[0-5]\d)?)?$/;
const TIME = /^[0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?(?:Z|[+-][01]\d:?[0-5]\d)?$/;

const isDateTime: IsHarmless = (value) => typeof value === 'string' && DATE_TIME.test(value);
const isTime: IsHarmless = (value) => typeof value === 'string' && TIME.test(value);

/** The fields of the standard that are kept, by what their values must be. */
const FIELDS: ReadonlyArray<readonly [IsHarmless, string]> = [
  [
    isWord,
    'type category lastEvent orderTiming orderPriority status deliveredBy mode unit method brand receivedBy target ' +
      'serviceType timing merchantType merchantCategories acceptedCards priceMethod dayOfWeek servicePriority ' +
      'suitableDiet allergen',
  ],
  [
    isAmount,
    'value originalValue itemsPrice otherFees discount orderAmount prepaid pending changeFor unitPrice originalPrice ' +
      'optionsPrice subtotalPrice totalPrice price amount averageTicket',
  ],
  [
    isSmallNumber,
    'index quantity ordersCountOnMerchant TTL averagePreparationTime serving minPermitted maxPermitted size ' +
      'estimateDeliveryTime',
  ],
  [isCurrency, 'currency'],
  [isSponsor, 'name'],
  [
    isDateTime,
    'createdAt lastUpdate preparationStartDateTime takeoutDateTime indoorDateTime scheduledDateTimeStart ' +
      'scheduledDateTimeEnd estimatedDeliveryDateTime deliveryDateTime startDate endDate date',
  ],
  [isTime, 'startTime endTime'],
];

const BY_FIELD: ReadonlyMap<string, IsHarmless> = new Map(
  FIELDS.flatMap(([isHarmless, names]) => names.split(' ').map((name) => [name, isHarmless] as const)),
);

/**
 * Whether a value may be kept: the field is one of the standard, and the value is one that the standard allows there
 * and that says nothing about a person. Everything else is replaced.
 *
 * @param field - for an entry of an array, that of the array; undefined: the value is in no field.
 */
export const isHarmless = (field: string | undefined, value: unknown): boolean =>
  value === null || typeof value === 'boolean' || BY_FIELD.get(field ?? '')?.(value) === true;
