import * as z from 'zod';
import { fixtureId, type Json } from './fixtures.js';
import type { NewOrder } from './mock-hub.js';
import { DELIVERERS, type Deliverer, ORDER_PARTS, orderAmounts } from './order-amounts.js';
import { parseInput } from './parse-input.js';

const MINUTE_MS = 60_000;
const PREPARATION_MS = 25 * MINUTE_MS;
const TRANSPORT_MS = 15 * MINUTE_MS;
/** A scheduled order is due in two hours, within half an hour. */
const SCHEDULED_AFTER_MS = 120 * MINUTE_MS;
const SCHEDULED_WINDOW_MS = 30 * MINUTE_MS;

/** Any other value would need data that nobody has. */
const checked = z.object({ deliveredBy: z.enum(DELIVERERS), include: z.array(z.enum(ORDER_PARTS)) });

const ADDRESS = {
  country: 'BR',
  state: 'SP',
  city: 'São Paulo',
  district: 'Pinheiros',
  street: 'Rua dos Pinheiros',
  number: '500',
  postalCode: '05422-000',
};

/** The type of an order to make. Any other value is sent as it is, so that a test can send what no hub should. */
export type GivenOrderType = 'DELIVERY' | 'TAKEOUT' | 'INDOOR' | (string & {}) | null;
/** The timing of an order to make. Any other value is sent as it is. */
export type GivenOrderTiming = 'INSTANT' | 'SCHEDULED' | 'ONDEMAND' | (string & {}) | null;

/**
 * An order of the fixture store, with the data that the standard (v1.7.1) requires for its kind.
 *
 * @throws {TypeError} `deliveredBy` or a part of `include` is unknown.
 */
export function orderFixture(
  orderId: string,
  displayId: string,
  createdAt: string,
  {
    type = 'DELIVERY',
    orderTiming = 'INSTANT',
    deliveredBy = 'MERCHANT',
    include = [],
  }: Pick<NewOrder, 'type' | 'orderTiming' | 'deliveredBy' | 'include'> = {},
): Json {
  parseInput(checked, { deliveredBy, include });
  const isScheduled = orderTiming === 'SCHEDULED';
  const dueFrom = Date.parse(createdAt) + (isScheduled ? SCHEDULED_AFTER_MS : PREPARATION_MS);
  const dueUntil = dueFrom + (isScheduled ? SCHEDULED_WINDOW_MS : TRANSPORT_MS);
  return {
    id: orderId,
    type,
    displayId,
    createdAt,
    orderTiming,
    preparationStartDateTime: isoOf(dueFrom - PREPARATION_MS),
    merchant: { id: `12345678000195-${fixtureId('merchant', 1)}`, name: 'Forno da Vila' },
    ...orderAmounts(type === 'TAKEOUT' || type === 'INDOOR' ? undefined : deliveredBy, new Set(include)),
    customer: {
      id: fixtureId('customer', 1),
      name: 'Ana',
      phone: { number: '11991234567' },
      ordersCountOnMerchant: 3,
    },
    ...(isScheduled && {
      schedule: { scheduledDateTimeStart: isoOf(dueFrom), scheduledDateTimeEnd: isoOf(dueUntil) },
    }),
    ...fulfilment(type, deliveredBy, isoOf(dueFrom), isoOf(dueUntil)),
  };
}

/** How the customer gets the order. A type that the standard does not have is treated as DELIVERY. */
function fulfilment(type: GivenOrderType, deliveredBy: Deliverer, ready: string, delivered: string): Json {
  switch (type) {
    case 'TAKEOUT':
      return { takeout: { mode: 'DEFAULT', takeoutDateTime: ready, billingAddress: { ...ADDRESS } } };
    case 'INDOOR':
      return { indoor: { mode: 'PLACE', indoorDateTime: ready, place: 'Mesa 7' } };
    default:
      return { delivery: delivery(deliveredBy, delivered) };
  }
}

function delivery(deliveredBy: Deliverer, estimatedDeliveryDateTime: string): Json {
  return {
    deliveredBy,
    deliveryAddress: {
      ...ADDRESS,
      formattedAddress: 'Rua dos Pinheiros, 500',
      coordinates: { latitude: -23.5663, longitude: -46.6822 },
    },
    estimatedDeliveryDateTime,
    // The courier of the marketplace shows it in the store.
    ...(deliveredBy === 'MARKETPLACE' && { pickupCode: '4711' }),
  };
}

const isoOf = (at: number) => new Date(at).toISOString();
