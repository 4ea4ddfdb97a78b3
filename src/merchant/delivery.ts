import { ConfigurationError } from '../errors.js';
import type { Service } from '../schemas/merchant.js';

type Area = NonNullable<Service['serviceArea']>;
type Fee = Pick<NonNullable<Area['polygon']>[number], 'price' | 'estimateDeliveryTime'>;

/** Degrees, as of GPS. */
export interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

/** Whether a service delivers to a place, and for how much. */
export type DeliveryQuote =
  | {
      readonly delivers: true;
      readonly by: 'polygon' | 'radius';
      /** The fee; undefined where the document tells none. */
      readonly price: Fee['price'];
      /** Minutes in the standard; the spec shows no unit. */
      readonly estimateDeliveryTime: number | undefined;
    }
  | {
      readonly delivers: false;
      /**
       * `not_delivery`: the service is of another type. `no_area`: it tells no
       * area. `excluded`: within an area that is taken out. `outside`.
       */
      readonly reason: 'not_delivery' | 'no_area' | 'excluded' | 'outside';
    };

export interface DeliveryOptions {
  /** What `geoRadius.radius[].size` counts: the spec shows no unit, and real hosts differ. */
  readonly radiusUnit?: 'm' | 'km';
}

const EARTH_RADIUS_M = 6_371_008.8;

/**
 * @throws {ConfigurationError} the place is none, or the service delivers by radius and `radiusUnit` is missing.
 * @see Spec §2.4
 */
export function quoteDelivery(
  service: Service,
  to: Coordinates,
  options: DeliveryOptions = {},
): DeliveryQuote {
  checkCoordinates(to);
  if (service.serviceType !== undefined && service.serviceType !== 'DELIVERY') {
    return { delivers: false, reason: 'not_delivery' };
  }
  const { polygon = [], geoRadius, exclusionAreaPolygon = [] } = service.serviceArea ?? {};
  if (polygon.length === 0 && !geoRadius) return { delivers: false, reason: 'no_area' };
  const radiusM = geoRadius && radiusScale(options);
  if (exclusionAreaPolygon.some(({ geoCoordinates }) => isInside(to, geoCoordinates))) {
    return { delivers: false, reason: 'excluded' };
  }
  const areas = polygon.filter(({ geoCoordinates }) => isInside(to, geoCoordinates));
  const area = areas.reduce<Fee | undefined>(cheaper, undefined);
  if (area) return quote('polygon', area);
  const circle = geoRadius && radiusM && circleOf(geoRadius, distanceM(to, midpointOf(geoRadius)) / radiusM);
  return circle ? quote('radius', circle) : { delivers: false, reason: 'outside' };
}

function radiusScale({ radiusUnit }: DeliveryOptions): number {
  if (radiusUnit === 'm') return 1;
  if (radiusUnit === 'km') return 1000;
  throw new ConfigurationError(
    'radiusUnit',
    "must be 'm' or 'km': the service delivers by radius, and the spec does not show in which unit",
  );
}

const quote = (by: 'polygon' | 'radius', { price, estimateDeliveryTime }: Fee): DeliveryQuote => ({
  delivers: true,
  by,
  price,
  estimateDeliveryTime,
});

/** Where areas overlap, the customer pays the lower fee. */
const cheaper = (one: Fee | undefined, other: Fee): Fee =>
  one && (one.price?.value ?? 0) <= (other.price?.value ?? 0) ? one : other;

/** The smallest circle that reaches so far. */
function circleOf({ radius = [] }: NonNullable<Area['geoRadius']>, distance: number): Fee | undefined {
  const reaching = radius.filter(({ size }) => size >= distance);
  return reaching.reduce<(typeof radius)[number] | undefined>(
    (one, other) => (one && one.size <= other.size ? one : other),
    undefined,
  );
}

const midpointOf = (area: NonNullable<Area['geoRadius']>): Coordinates => ({
  latitude: area.geoMidpointLatitude,
  longitude: area.geoMidpointLongitude,
});

/** Along the surface (haversine). */
function distanceM(one: Coordinates, other: Coordinates): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const half = (degrees: number) => Math.sin(radians(degrees) / 2) ** 2;
  const a =
    half(other.latitude - one.latitude) +
    Math.cos(radians(one.latitude)) *
      Math.cos(radians(other.latitude)) *
      half(other.longitude - one.longitude);
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(a)));
}

/** Whether a point is in a polygon, its edge included; longitudes are taken the short way round. */
function isInside({ latitude, longitude }: Coordinates, corners: readonly Coordinates[]): boolean {
  const points = corners.map((corner) => ({
    x: ((((corner.longitude - longitude + 180) % 360) + 360) % 360) - 180,
    y: corner.latitude - latitude,
  }));
  if (points.length < 3) return false;
  let inside = false;
  for (const [at, one] of points.entries()) {
    const other = points[(at + 1) % points.length] as typeof one;
    const cross = one.x * other.y - other.x * one.y;
    const isOnEdge = cross === 0 && one.x * other.x <= 0 && one.y * other.y <= 0;
    if (isOnEdge) return true;
    if (one.y > 0 !== other.y > 0 && cross / (other.y - one.y) > 0) inside = !inside;
  }
  return inside;
}

function checkCoordinates(to: unknown): asserts to is Coordinates {
  const { latitude, longitude } = (to ?? {}) as Partial<Coordinates>;
  const within = (value: unknown, most: number) => typeof value === 'number' && Math.abs(value) <= most;
  if (!within(latitude, 90)) throw new ConfigurationError('latitude', 'must be degrees from -90 to 90');
  if (!within(longitude, 180)) throw new ConfigurationError('longitude', 'must be degrees from -180 to 180');
}
