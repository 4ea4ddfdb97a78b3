import { ConfigurationError, type Issue } from '../errors/index.js';
import type { Coordinates } from '../schemas/common.js';
import type { Service } from '../schemas/merchant/service.js';
import type { Money } from '../schemas/money.js';
import { arrayOf } from './entries.js';
import { distanceM, isInside, isLatitude, isLongitude, isPoint, isPolygon } from './geometry.js';
import { checkKeys } from './selection.js';

type Area = NonNullable<Service['serviceArea']>;
type GeoRadius = NonNullable<Area['geoRadius']>;
type Fee = Pick<NonNullable<Area['polygon']>[number], 'price' | 'estimateDeliveryTime'>;

/** Whether a service delivers to a place, and for what fee. */
export type DeliveryQuote =
  | {
      /** The service delivers to the place. */
      readonly delivers: true;
      /** The kind of area that contains the place. */
      readonly by: 'polygon' | 'radius';
      /** The delivery fee; undefined if the document has none. */
      readonly price: Money | undefined;
      /** As in the document: minutes by the standard; the spec names no unit. */
      readonly estimateDeliveryTime: number | undefined;
    }
  | {
      /** The service does not deliver to the place. */
      readonly delivers: false;
      /**
       * - `not_delivery`: the `serviceType` is not DELIVERY.
       * - `no_area`: the service has no area.
       * - `excluded`: the place is in an `exclusionAreaPolygon`.
       * - `outside`: the place is not in any of the areas.
       */
      readonly reason: 'not_delivery' | 'no_area' | 'excluded' | 'outside';
    };

/** Options of `menu.deliveryQuote`. */
export interface DeliveryOptions {
  /**
   * Unit of `geoRadius.radius[].size`. The spec does not define it, and hosts use both.
   * Required if the service delivers by radius.
   */
  readonly radiusUnit?: 'm' | 'km' | undefined;
}

const OPTION_KEYS = new Set(['radiusUnit']);

/**
 * Exclusions come first, then polygons, then the radius. If several polygons
 * contain the place, the lowest fee applies; of several circles, the smallest.
 *
 * @throws {ConfigurationError} the coordinates are not valid, an option is unknown or wrong, or `radiusUnit` is missing
 * for a service that delivers by radius.
 * @see Spec §2.4
 */
export function quoteDelivery(service: Service, to: Coordinates, options: DeliveryOptions): DeliveryQuote {
  checkKeys(options, 'options', OPTION_KEYS);
  checkCoordinates(to);
  const { serviceArea, serviceType = 'DELIVERY' } = service;
  const isDelivery = serviceType === 'DELIVERY';
  const geoRadius = serviceArea?.geoRadius ?? undefined;
  // Checked even if a polygon decides, so that a missing option is found before a customer needs it.
  const unitM = unitInMetres(options, isDelivery && geoRadius !== undefined);
  if (!isDelivery) return { delivers: false, reason: 'not_delivery' };
  const polygons = objectsIn(serviceArea?.polygon);
  if (polygons.length === 0 && !geoRadius) return { delivers: false, reason: 'no_area' };
  const contains = ({ geoCoordinates }: { readonly geoCoordinates: unknown }) =>
    isPolygon(geoCoordinates) && isInside(to, geoCoordinates);
  if (objectsIn(serviceArea?.exclusionAreaPolygon).some(contains)) {
    return { delivers: false, reason: 'excluded' };
  }
  const [polygon] = polygons.filter(contains).sort((one, other) => feeOf(one) - feeOf(other));
  if (polygon) return quote('polygon', polygon);
  const circle = geoRadius && unitM && smallestCircle(geoRadius, to, unitM);
  return circle ? quote('radius', circle) : { delivers: false, reason: 'outside' };
}

/** The parts of a service's area that cannot be used; they neither deliver nor exclude. */
export function* areaIssues({ serviceArea }: Service): Generator<Issue> {
  if (typeof serviceArea !== 'object' || serviceArea === null) return;
  for (const key of ['polygon', 'exclusionAreaPolygon'] as const) {
    for (const [index, area] of arrayOf<unknown>(serviceArea[key]).entries()) {
      if (isPolygon((area as { geoCoordinates?: unknown } | null)?.geoCoordinates)) continue;
      const message = 'a polygon needs at least three valid coordinates';
      yield { path: [key, index, 'geoCoordinates'], code: 'unreadable', message, against: 'sense' };
    }
  }
  const { geoRadius } = serviceArea;
  if (geoRadius && !isPoint(midpointOf(geoRadius))) {
    const message = 'the midpoint has no valid coordinates';
    yield { path: ['geoRadius'], code: 'unreadable', message, against: 'sense' };
  }
}

function checkCoordinates(to: unknown): asserts to is Coordinates {
  const { latitude, longitude } = (to ?? {}) as Partial<Coordinates>;
  if (!isLatitude(latitude)) throw new ConfigurationError('latitude', 'must be degrees from -90 to 90');
  if (!isLongitude(longitude)) throw new ConfigurationError('longitude', 'must be degrees from -180 to 180');
}

function unitInMetres({ radiusUnit }: DeliveryOptions, isRequired: boolean): number | undefined {
  if (radiusUnit === 'm') return 1;
  if (radiusUnit === 'km') return 1000;
  if (radiusUnit === undefined && !isRequired) return undefined;
  throw new ConfigurationError(
    'radiusUnit',
    "must be 'm' or 'km': the spec does not name the unit of a radius",
  );
}

const quote = (by: 'polygon' | 'radius', { price, estimateDeliveryTime }: Fee): DeliveryQuote => ({
  delivers: true,
  by,
  price,
  estimateDeliveryTime,
});

/** An area without a fee counts as the most expensive. */
const feeOf = ({ price }: Fee): number => price?.value ?? Number.POSITIVE_INFINITY;

function smallestCircle(geoRadius: GeoRadius, to: Coordinates, unitM: number): Fee | undefined {
  const midpoint = midpointOf(geoRadius);
  if (!isPoint(midpoint)) return undefined;
  const distance = distanceM(to, midpoint) / unitM;
  const circles = objectsIn(geoRadius.radius).filter(({ size }) => Number.isFinite(size) && size >= distance);
  return circles.sort((one, other) => one.size - other.size)[0];
}

const midpointOf = ({ geoMidpointLatitude, geoMidpointLongitude }: GeoRadius): Coordinates => ({
  latitude: geoMidpointLatitude,
  longitude: geoMidpointLongitude,
});

/** The objects of an array; a document that was not read may hold any value. */
const objectsIn = <Entry>(array: readonly Entry[] | null | undefined): readonly Entry[] =>
  arrayOf(array).filter((entry) => typeof entry === 'object' && entry !== null);
