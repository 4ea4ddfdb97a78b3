import type { Coordinates } from '../schemas/common.js';

const EARTH_RADIUS_M = 6_371_008.8;

const isWithin = (value: unknown, max: number) => typeof value === 'number' && Math.abs(value) <= max;

export const isLatitude = (value: unknown): boolean => isWithin(value, 90);

export const isLongitude = (value: unknown): boolean => isWithin(value, 180);

/** Whether coordinates of a document are usable. Their longitude may count on beyond 180, up to 360. */
export const isPoint = (value: unknown): value is Coordinates => {
  const { latitude, longitude } = (value ?? {}) as Partial<Coordinates>;
  return isLatitude(latitude) && isWithin(longitude, 360);
};

export const isPolygon = (value: unknown): value is readonly Coordinates[] =>
  Array.isArray(value) && value.length >= 3 && value.every(isPoint);

/** Distance along the surface in metres, by the haversine formula. */
export function distanceM(one: Coordinates, other: Coordinates): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const haversine = (degrees: number) => Math.sin(radians(degrees) / 2) ** 2;
  const a =
    haversine(other.latitude - one.latitude) +
    Math.cos(radians(one.latitude)) *
      Math.cos(radians(other.latitude)) *
      haversine(other.longitude - one.longitude);
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(a)));
}

/** Whether a point is inside a polygon or on its edge. Each side runs the shorter way around the earth. */
export function isInside(point: Coordinates, polygon: readonly Coordinates[]): boolean {
  let previous = point.longitude;
  // Relative to the point, each corner less than half a turn from the one before.
  const corners = polygon.map(({ latitude, longitude }) => {
    previous = longitude - 360 * Math.floor((longitude - previous + 180) / 360);
    return { x: previous - point.longitude, y: latitude - point.latitude };
  });
  // In a polygon wider than half the earth, the point may be a whole turn away.
  return [0, 360, -360].some((turn) => containsOrigin(corners.map(({ x, y }) => ({ x: x + turn, y }))));
}

/** Counts how often a ray from the origin crosses the sides: an odd number means inside. */
function containsOrigin(corners: ReadonlyArray<{ readonly x: number; readonly y: number }>): boolean {
  let isIn = false;
  for (const [index, one] of corners.entries()) {
    const other = corners[(index + 1) % corners.length] as typeof one;
    const cross = one.x * other.y - other.x * one.y;
    const isOnEdge = cross === 0 && one.x * other.x <= 0 && one.y * other.y <= 0;
    if (isOnEdge) return true;
    if (one.y > 0 !== other.y > 0 && cross / (other.y - one.y) > 0) isIn = !isIn;
  }
  return isIn;
}
