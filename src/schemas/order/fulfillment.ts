import * as z from 'zod';
import { type Coordinates, coordinatesSchema, OLD_ADDRESS_KEYS } from '../common.js';
import { expected, formatted, openEnum, wireObject } from '../wire.js';

const deliveryAddressSchema = wireObject(
  {
    country: expected(z.string()),
    state: expected(z.string()),
    city: expected(z.string()),
    district: expected(z.string()),
    street: expected(z.string()),
    number: expected(z.string()),
    complement: z.string().optional(),
    reference: z.string().optional(),
    formattedAddress: expected(z.string()),
    postalCode: expected(z.string()),
    coordinates: expected(coordinatesSchema),
  },
  { aliases: OLD_ADDRESS_KEYS },
);

const billingAddressSchema = wireObject(
  {
    country: z.string().optional(),
    state: z.string().optional(),
    city: z.string().optional(),
    district: z.string().optional(),
    street: z.string().optional(),
    number: z.string().optional(),
    complement: z.string().optional(),
    postalCode: z.string().optional(),
  },
  { aliases: OLD_ADDRESS_KEYS },
);

export const orderDeliverySchema = wireObject({
  deliveredBy: expected(openEnum(['MERCHANT', 'MARKETPLACE'], { spellings: {} })),
  deliveryAddress: expected(deliveryAddressSchema),
  estimatedDeliveryDateTime: expected(formatted('datetime')),
  deliveryDateTime: formatted('datetime').optional(),
  pickupCode: z.string().optional(),
});

export const orderTakeoutSchema = wireObject({
  mode: expected(openEnum(['DEFAULT', 'PICKUP_AREA'])),
  takeoutDateTime: expected(formatted('datetime')),
  billingAddress: billingAddressSchema.optional(),
});

export const orderIndoorSchema = wireObject(
  {
    mode: expected(openEnum(['DEFAULT', 'PLACE', 'TAB', 'TERMINAL'])),
    indoorDateTime: expected(formatted('datetime')),
    place: z.string().optional(),
    tab: z.string().optional(),
    seat: z.string().optional(),
    waiterCode: z.string().optional(),
  },
  { aliases: { table: 'place' } },
);

export const orderScheduleSchema = wireObject({
  scheduledDateTimeStart: expected(formatted('datetime')),
  scheduledDateTimeEnd: expected(formatted('datetime')),
});

/** Where an order is delivered (standard v1.7.1). This is personal data. */
export type DeliveryAddress = {
  /** Two-letter ISO 3166-1 code, e.g. `BR`. Required by the standard; absence is an issue. */
  readonly country?: string | undefined;
  /** State, e.g. `SP` or, by ISO 3166-2, `BR-SP`. Required by the standard; absence is an issue. */
  readonly state?: string | undefined;
  /** City. Required by the standard; absence is an issue. */
  readonly city?: string | undefined;
  /** Neighborhood (bairro). Required by the standard; absence is an issue. */
  readonly district?: string | undefined;
  /** Street. Required by the standard; absence is an issue. */
  readonly street?: string | undefined;
  /** House number, a string because of `12-A` and `s/n`. Required by the standard; absence is an issue. */
  readonly number?: string | undefined;
  /** Building, floor or apartment (standard, optional). Absent: not given. */
  readonly complement?: string | undefined;
  /** A hint for finding the place, e.g. `yellow house` (standard, optional). Absent: no hint. */
  readonly reference?: string | undefined;
  /** The whole address in one line, to print. Required by the standard; absence is an issue. */
  readonly formattedAddress?: string | undefined;
  /** Postal code (CEP), e.g. `20111-000`. Required by the standard; absence is an issue. */
  readonly postalCode?: string | undefined;
  /** The place on the map. Required by the standard; absence is an issue. */
  readonly coordinates?: Coordinates | undefined;
};

/** What an order of the type DELIVERY has in addition (standard v1.7.1). */
export type OrderDelivery = {
  /** Who delivers: the store or the marketplace. Required by the standard; absence is an issue. */
  readonly deliveredBy?: 'MERCHANT' | 'MARKETPLACE' | (string & {}) | undefined;
  /** Where to deliver. Required by the standard; absence is an issue. */
  readonly deliveryAddress?: DeliveryAddress | undefined;
  /** When the customer was told to expect the order, as an ISO 8601 date-time. Required by the standard; absence is an issue. */
  readonly estimatedDeliveryDateTime?: string | undefined;
  /** When the order was delivered, as an ISO 8601 date-time (standard, optional). Absent: not yet delivered. */
  readonly deliveryDateTime?: string | undefined;
  /** The code that the courier shows to the store (standard, optional). It is not the customer's code. Absent: not given. */
  readonly pickupCode?: string | undefined;
};

/**
 * The customer's address for the tax invoice, the NFC-e (standard v1.7.1). This is personal data. It has no map position
 * and no address in one line, and the standard requires none of its fields.
 */
export type BillingAddress = {
  /** Two-letter ISO 3166-1 code, e.g. `BR` (standard, optional). Absent: not given. */
  readonly country?: string | undefined;
  /** State, e.g. `SP` or, by ISO 3166-2, `BR-SP` (standard, optional). Absent: not given. */
  readonly state?: string | undefined;
  /** City (standard, optional). Absent: not given. */
  readonly city?: string | undefined;
  /** Neighborhood (bairro) (standard, optional). Absent: not given. */
  readonly district?: string | undefined;
  /** Street (standard, optional). Absent: not given. */
  readonly street?: string | undefined;
  /** House number, a string because of `12-A` and `s/n` (standard, optional). Absent: not given. */
  readonly number?: string | undefined;
  /** Building, floor or apartment (standard, optional). Absent: not given. */
  readonly complement?: string | undefined;
  /** Postal code (CEP), e.g. `20111-000` (standard, optional). Absent: not given. */
  readonly postalCode?: string | undefined;
};

/** What an order of the type TAKEOUT has in addition (standard v1.7.1). */
export type OrderTakeout = {
  /**
   * DEFAULT: at the counter. PICKUP_AREA: at a place that the event PICKUP_AREA_ASSIGNED names. Required by the
   * standard; absence is an issue.
   */
  readonly mode?: 'DEFAULT' | 'PICKUP_AREA' | (string & {}) | undefined;
  /** When the order must be ready, as an ISO 8601 date-time. Required by the standard; absence is an issue. */
  readonly takeoutDateTime?: string | undefined;
  /**
   * The customer's address for the tax invoice, the NFC-e (standard, optional): Ajuste SINIEF 9/2026 requires it of a
   * TAKEOUT order. For a DELIVERY order it is `deliveryAddress`. Absent: not given.
   */
  readonly billingAddress?: BillingAddress | undefined;
};

/** What an order of the type INDOOR has in addition (standard v1.7.1). */
export type OrderIndoor = {
  /**
   * DEFAULT: no fixed place. PLACE: at `place`. TAB: on the tab `tab`. TERMINAL: ordered at a kiosk or tablet.
   * Required by the standard; absence is an issue.
   */
  readonly mode?: 'DEFAULT' | 'PLACE' | 'TAB' | 'TERMINAL' | (string & {}) | undefined;
  /** When the order must be ready, as an ISO 8601 date-time. Required by the standard; absence is an issue. */
  readonly indoorDateTime?: string | undefined;
  /** The table or counter. Required by the standard if `mode` is PLACE. Absent: no fixed place. */
  readonly place?: string | undefined;
  /** The tab or the customer's card. Required by the standard if `mode` is TAB. Absent: not given. */
  readonly tab?: string | undefined;
  /** The seat at the table (standard, optional). Absent: not given. */
  readonly seat?: string | undefined;
  /** The waiter's code (standard, optional). Absent: not given. */
  readonly waiterCode?: string | undefined;
};

/** When a scheduled order is due (standard v1.7.1). */
export type OrderSchedule = {
  /** From when the order is due, as an ISO 8601 date-time. Required by the standard; absence is an issue. */
  readonly scheduledDateTimeStart?: string | undefined;
  /** Until when the order is due, as an ISO 8601 date-time. Required by the standard; absence is an issue. */
  readonly scheduledDateTimeEnd?: string | undefined;
};
