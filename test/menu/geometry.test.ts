import { describe, expect, it } from 'vitest';
import { distanceM, isInside, isPoint, isPolygon } from '../../src/menu/geometry.js';
import type { Coordinates } from '../../src/schemas/common.js';

const point = (latitude: number, longitude: number): Coordinates => ({ latitude, longitude });
const DEGREE_M = (6_371_008.8 * Math.PI) / 180;

describe('coordinates', () => {
  it('are a latitude up to 90 and a longitude up to 360 degrees', () => {
    for (const valid of [point(0, 0), point(90, 360), point(-90, -360)]) expect(isPoint(valid)).toBe(true);
    for (const value of [
      point(90.1, 0),
      point(0, 360.1),
      point(Number.NaN, 0),
      { latitude: 1 },
      null,
      'x',
      undefined,
    ]) {
      expect(isPoint(value)).toBe(false);
    }
  });

  it('form a polygon if there are at least three', () => {
    const corners = [point(0, 0), point(0, 1), point(1, 1)];
    expect(isPolygon(corners)).toBe(true);
    for (const value of [corners.slice(1), [...corners, null], {}, null])
      expect(isPolygon(value)).toBe(false);
  });
});

describe('the distance', () => {
  it.each<[Coordinates, Coordinates, number]>([
    [point(0, 0), point(0, 0), 0],
    [point(0, 0), point(1, 0), 1],
    [point(0, 179.5), point(0, -179.5), 1],
    [point(60, 0), point(60, 1), 0.5],
    [point(90, 0), point(90, 123), 0],
    [point(-90, 0), point(90, 0), 180],
  ])('from %o to %o is %d degrees of latitude', (one, other, degrees) => {
    expect(distanceM(one, other) / DEGREE_M).toBeCloseTo(degrees, 4);
    expect(distanceM(other, one)).toBe(distanceM(one, other));
  });
});

describe('a point in a polygon', () => {
  const square = [point(1, -1), point(1, 1), point(-1, 1), point(-1, -1)];

  it('may be on the edge', () => {
    for (const inside of [point(0, 0), point(1, 0), point(-1, -1)])
      expect(isInside(inside, square)).toBe(true);
    for (const outside of [point(1.001, 0), point(0, 1.001), point(1, 2), point(0, 180)]) {
      expect(isInside(outside, square)).toBe(false);
    }
  });

  it('is found in either direction of the corners', () => {
    expect(isInside(point(0, 0), [...square].reverse())).toBe(true);
    expect(isInside(point(2, 0), [...square].reverse())).toBe(false);
  });
});
