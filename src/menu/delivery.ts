import { ConfigurationError, type Issue } from '../errors.js';
import type { Service } from '../schemas/merchant.js';
import { arrayOf } from './entries.js';
import type { Money } from './price.js';

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
      readonly price: Money | undefined;
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
  const { serviceArea } = service;
  const geoRadius = serviceArea?.geoRadius ?? undefined;
  const polygon = objectsOf(serviceArea?.polygon);
  if (polygon.length === 0 && !geoRadius) return { delivers: false, reason: 'no_area' };
  const radiusM = geoRadius && radiusScale(options);
  const isIn = (area: { readonly geoCoordinates: unknown }) => isInside(to, area.geoCoordinates);
  if (objectsOf(serviceArea?.exclusionAreaPolygon).some(isIn)) return { delivers: false, reason: 'excluded' };
  const areas = polygon.filter(isIn);
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

/** Where areas overlap, the customer pays the lower fee; one that is not told comes last. */
const cheaper = (one: Fee | undefined, other: Fee): Fee => (one && feeOf(one) <= feeOf(other) ? one : other);

const feeOf = ({ price }: Fee): number => price?.value ?? Number.POSITIVE_INFINITY;

/** What in a service's area cannot be used: nothing is delivered by it, and nothing excluded. */
export function* areaIssues({ serviceArea }: Service): Generator<Issue> {
  if (typeof serviceArea !== 'object' || serviceArea === null) return;
  for (const key of ['polygon', 'exclusionAreaPolygon'] as const) {
    for (const [at, area] of arrayOf<unknown>(serviceArea[key]).entries()) {
      if (isPolygon((area as { geoCoordinates?: unknown } | null)?.geoCoordinates)) continue;
      yield { path: [key, at, 'geoCoordinates'], code: 'unreadable', message: 'these are no three places' };
    }
  }
  const { geoRadius } = serviceArea;
  if (geoRadius && !isPlace(midpointOf(geoRadius))) {
    yield { path: ['geoRadius'], code: 'unreadable', message: 'its midpoint is no place' };
  }
}

/** The smallest circle that reaches so far. */
function circleOf({ radius }: NonNullable<Area['geoRadius']>, distance: number): Fee | undefined {
  const reaching = objectsOf(radius).filter(({ size }) => Number.isFinite(size) && size >= distance);
  return reaching.reduce<(typeof reaching)[number] | undefined>(
    (one, other) => (one && one.size <= other.size ? one : other),
    undefined,
  );
}

const midpointOf = (area: NonNullable<Area['geoRadius']>): Coordinates => ({
  latitude: area.geoMidpointLatitude,
  longitude: area.geoMidpointLongitude,
});

/** Along the surface (haversine); NaN, which no circle reaches, where there is no such place. */
function distanceM(one: Coordinates, other: Coordinates): number {
  if (!isPlace(other)) return Number.NaN;
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const half = (degrees: number) => Math.sin(radians(degrees) / 2) ** 2;
  const a =
    half(other.latitude - one.latitude) +
    Math.cos(radians(one.latitude)) *
      Math.cos(radians(other.latitude)) *
      half(other.longitude - one.longitude);
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(a)));
}

/**
 * Whether a point is in a polygon, its edge included. Each side goes the short
 * way round the earth; a polygon with a corner that is no place is none.
 */
function isInside(to: Coordinates, corners: unknown): boolean {
  if (!isPolygon(corners)) return false;
  let at = to.longitude;
  const points = corners.map(({ latitude, longitude }) => {
    at = longitude - 360 * Math.floor((longitude - at + 180) / 360);
    return { x: at - to.longitude, y: latitude - to.latitude };
  });
  // One that is wider than half the earth may hold the point a whole turn away.
  return [0, 360, -360].some((turn) => holdsOrigin(points.map(({ x, y }) => ({ x: x + turn, y }))));
}

function holdsOrigin(points: ReadonlyArray<{ readonly x: number; readonly y: number }>): boolean {
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

const within = (value: unknown, most: number) => typeof value === 'number' && Math.abs(value) <= most;

/** Longitudes of a document may count on beyond 180. */
const isPlace = (place: Partial<Coordinates> | null): place is Coordinates =>
  within(place?.latitude, 90) && within(place?.longitude, 360);

const isPolygon = (corners: unknown): corners is readonly Coordinates[] =>
  Array.isArray(corners) && corners.length >= 3 && corners.every(isPlace);

/** The objects of a list, which may be anything in a document nobody has read. */
const objectsOf = <Entry>(list: readonly Entry[] | null | undefined): readonly Entry[] =>
  arrayOf(list ?? undefined).filter((each) => typeof each === 'object' && each !== null);

function checkCoordinates(to: unknown): asserts to is Coordinates {
  const { latitude, longitude } = (to ?? {}) as Partial<Coordinates>;
  if (!within(latitude, 90)) throw new ConfigurationError('latitude', 'must be degrees from -90 to 90');
  if (!within(longitude, 180)) throw new ConfigurationError('longitude', 'must be degrees from -180 to 180');
}
