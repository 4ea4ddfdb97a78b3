import { ConfigurationError, type Coordinates, type DeliveryOptions, Menu } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { brl, documentOf, issuesOf, known, type Part, square } from './documents.js';

/** A degree of latitude on the mean sphere, in metres. */
const DEGREE_M = (6_371_008.8 * Math.PI) / 180;

/** The quote of a service with this area. */
function quote(serviceArea: unknown, to: Coordinates, options?: DeliveryOptions, more: Part = {}) {
  const menu = new Menu(
    documentOf({ services: [{ id: 's', serviceType: 'DELIVERY', serviceArea, ...more }] }),
  );
  return menu.deliveryQuote(known(menu.services[0]), to, options);
}
const at = (latitude: number, longitude: number): Coordinates => ({ latitude, longitude });
const delivers = (area: unknown, to: Coordinates, options?: DeliveryOptions) =>
  quote(area, to, options).delivers;
/** Why a place is not served, or by which kind of area it is. */
const verdict = (...given: Parameters<typeof quote>) => {
  const result = quote(...given);
  return result.delivers ? result.by : result.reason;
};
const polygon = (geoCoordinates: readonly Coordinates[]) => ({
  polygon: [{ geoCoordinates, price: brl(5) }],
});

/** The place at `latitude,longitude`. */
const place = (text: string) => at(...(text.split(',').map(Number) as [number, number]));

/** At which of these longitudes on the equator an area is served. */
const servedAt = (area: unknown, ...longitudes: readonly number[]) =>
  longitudes.filter((longitude) => delivers(area, at(0, longitude)));
const issuesIn = (serviceArea: unknown) => issuesOf({ services: [{ id: 's', serviceArea }] });

describe('delivery by radius', () => {
  const circles = (...sizes: number[]) => ({
    geoRadius: {
      geoMidpointLatitude: 0,
      geoMidpointLongitude: 0,
      radius: sizes.map((size) => ({ size, price: brl(size), estimateDeliveryTime: size * 10 })),
    },
  });

  it('uses the smallest circle that contains the place, in any order of the circles', () => {
    const area = circles(10, 2, 5);
    const feeAt = (km: number) => {
      const result = quote(area, at((km * 1000) / DEGREE_M, 0), { radiusUnit: 'km' });
      return result.delivers ? [result.by, result.price?.value, result.estimateDeliveryTime] : result.reason;
    };
    expect(feeAt(0)).toEqual(['radius', 2, 20]);
    expect(feeAt(1.999)).toEqual(['radius', 2, 20]);
    expect(feeAt(2.001)).toEqual(['radius', 5, 50]);
    expect(feeAt(9.999)).toEqual(['radius', 10, 100]);
    expect(feeAt(10.001)).toBe('outside');
  });

  it('measures distances along the surface in every direction', () => {
    const midpoint = (latitude: number, longitude: number, size: number) => ({
      geoRadius: { geoMidpointLatitude: latitude, geoMidpointLongitude: longitude, radius: [{ size }] },
    });
    // A degree of longitude at 60° is half a degree of latitude.
    expect(delivers(midpoint(60, 10, DEGREE_M / 2 + 5), at(60, 11), { radiusUnit: 'm' })).toBe(true);
    expect(delivers(midpoint(60, 10, DEGREE_M / 2 - 5), at(60, 11), { radiusUnit: 'm' })).toBe(false);
    expect(delivers(midpoint(0, 179.9, 25), at(0, -179.9), { radiusUnit: 'km' })).toBe(true);
    expect(delivers(midpoint(0, 179.9, 22), at(0, -179.9), { radiusUnit: 'km' })).toBe(false);
    expect(delivers(midpoint(90, 0, 1), at(90, 123), { radiusUnit: 'm' })).toBe(true);
    expect(delivers(midpoint(0, 0, 20_016), at(0, 180), { radiusUnit: 'km' })).toBe(true);
    expect(delivers(midpoint(0, 0, 20_015), at(0, 180), { radiusUnit: 'km' })).toBe(false);
  });

  it('requires radiusUnit and uses it as given', () => {
    const area = circles(10);
    expect(() => quote(area, at(0, 0))).toThrow(ConfigurationError);
    expect(() => quote(area, at(0, 0), { radiusUnit: 'mi' as never })).toThrow(/radiusUnit/);
    expect(delivers(area, at(0.01, 0), { radiusUnit: 'km' })).toBe(true);
    expect(delivers(area, at(0.01, 0), { radiusUnit: 'm' })).toBe(false);
    // Also if a polygon decides: the missing option must be found before a customer needs it.
    expect(() => quote({ ...area, polygon: [square(0, 0, 1)] }, at(0, 0))).toThrow(ConfigurationError);
  });

  it('delivers nowhere without a circle or a valid midpoint', () => {
    expect(verdict(circles(), at(0, 0), { radiusUnit: 'm' })).toBe('outside');
    const bad = { geoRadius: { radius: [{ size: 5 }] } };
    expect(verdict(bad, at(0, 0), { radiusUnit: 'km' })).toBe('outside');
    expect(issuesIn(bad)).toEqual(['unreadable services.0.serviceArea.geoRadius']);
    const beyond = { geoRadius: { ...circles(20_000).geoRadius, geoMidpointLatitude: 91 } };
    expect(verdict(beyond, at(0, 0), { radiusUnit: 'km' })).toBe('outside');
    expect(issuesIn(beyond)).toEqual(['unreadable services.0.serviceArea.geoRadius']);
    for (const size of [Number.NaN, Number.POSITIVE_INFINITY, -1, '5', null])
      expect(delivers(circles(size as number), at(0, 0), { radiusUnit: 'km' })).toBe(false);
  });
});

describe('delivery by polygon', () => {
  it('includes the edge and the corners', () => {
    const area = { polygon: [square(0, 0, 1, brl(5))] };
    for (const to of [at(0, 0), at(1, 0), at(0, -1), at(1, 1), at(-1, -1), at(0.999, 0.999)])
      expect(quote(area, to)).toEqual({
        delivers: true,
        by: 'polygon',
        price: { value: 5, currency: 'BRL' },
        estimateDeliveryTime: 45,
      });
    const beyond = [
      at(1.0001, 0),
      at(0, 1.0001),
      at(-1.0001, -1),
      at(1, 2),
      at(-1, -2),
      at(0, 180),
      at(90, 0),
    ];
    for (const to of beyond) expect(verdict(area, to)).toBe('outside');
  });

  it('supports any shape, with or without the first corner repeated at the end', () => {
    const horseshoe = ['0,0', '3,0', '3,3', '0,3', '0,2', '2,2', '2,1', '0,1'];
    for (const corners of [horseshoe, [...horseshoe, '0,0'], [...horseshoe].reverse()]) {
      const area = polygon(corners.map(place));
      for (const inside of ['1,0.5', '2.5,1.5', '1,2.5', '2,1.5'])
        expect(delivers(area, place(inside))).toBe(true);
      for (const outside of ['1,1.5', '0,1.5', '-1,0', '0,4'])
        expect(delivers(area, place(outside))).toBe(false);
    }
  });

  it('supports polygons across the antimeridian, with longitudes up to 180 or beyond', () => {
    const within = [180, -180, 175, -175, 170, -170];
    for (const corners of [
      ['10,170', '10,-170', '-10,-170', '-10,170'],
      ['10,170', '10,190', '-10,190', '-10,170'],
      ['10,-190', '10,-170', '-10,-170', '-10,-190'],
    ])
      expect(servedAt(polygon(corners.map(place)), ...within, 169, -169, 0, 90, -90)).toEqual(within);
  });

  it('does not include the opposite side of the earth', () => {
    // São Paulo and Alice Springs.
    const area = { polygon: [square(-23.55, -46.63, 1)] };
    expect(delivers(area, at(-23.55, -46.63))).toBe(true);
    expect(delivers(area, at(-23.7, 133.88))).toBe(false);
  });

  it('supports polygons wider than half the earth', () => {
    const north = ['10,-170', '10,-60', '10,60', '10,170'];
    const south = ['-10,170', '-10,60', '-10,-60', '-10,-170'];
    const within = [-169, -60, 0, 60, 169];
    expect(servedAt(polygon([...north, ...south].map(place)), ...within, -175, 175, 180)).toEqual(within);
  });

  it('precedes the radius, and has the lowest fee of overlapping polygons', () => {
    const area = {
      geoRadius: { geoMidpointLatitude: 0, geoMidpointLongitude: 0, radius: [{ size: 500, price: brl(1) }] },
      polygon: [square(0, 0, 1), square(0, 0, 2, brl(9)), square(0, 0, 1, brl(5)), square(0, 0, 1, brl(7))],
    };
    const feeAt = (latitude: number) => {
      const result = quote(area, at(latitude, 0), { radiusUnit: 'km' });
      return result.delivers && [result.by, result.price?.value];
    };
    expect(feeAt(0.5)).toEqual(['polygon', 5]);
    expect(feeAt(1.5)).toEqual(['polygon', 9]);
    expect(feeAt(3)).toEqual(['radius', 1]);
  });

  it('does not deliver to excluded areas and their edges, also not by radius', () => {
    const area = {
      geoRadius: { geoMidpointLatitude: 0, geoMidpointLongitude: 0, radius: [{ size: 500 }] },
      polygon: [square(0, 0, 1)],
      exclusionAreaPolygon: [square(0.5, 0.5, 0.25), square(2, 2, 0.25)],
    };
    for (const to of [at(0.5, 0.5), at(0.75, 0.75), at(2, 2)])
      expect(verdict(area, to, { radiusUnit: 'km' })).toBe('excluded');
    expect(delivers(area, at(0.76, 0.5), { radiusUnit: 'km' })).toBe(true);
  });

  it('ignores a polygon with fewer than three or with invalid corners, and reports an issue', () => {
    const corners = known(square(0, 0, 1).geoCoordinates as Part[]);
    const bad = [
      corners.slice(0, 2),
      [],
      null,
      'text',
      [...corners, null],
      ...[Number.NaN, Number.POSITIVE_INFINITY, 91, '1', null, { toString: 1 }].map((latitude) => [
        ...corners,
        { latitude, longitude: 0 },
      ]),
    ];
    for (const geoCoordinates of bad) {
      const area = { polygon: [square(5, 5, 1), { geoCoordinates }] };
      expect(verdict(area, at(0, 0))).toBe('outside');
      expect(delivers(area, at(5, 5))).toBe(true);
      expect(issuesIn(area)).toEqual(['unreadable services.0.serviceArea.polygon.1.geoCoordinates']);
      const excluded = { polygon: [square(0, 0, 1)], exclusionAreaPolygon: [{ geoCoordinates }] };
      expect(delivers(excluded, at(0, 0))).toBe(true);
      expect(issuesIn(excluded)).toEqual([
        'unreadable services.0.serviceArea.exclusionAreaPolygon.0.geoCoordinates',
      ]);
    }
  });
});

describe('a quote', () => {
  it('is negative for a service that has no area or does not deliver', () => {
    for (const area of [undefined, null, {}, { polygon: [] }, { polygon: null, geoRadius: null }])
      expect(verdict(area, at(0, 0))).toBe('no_area');
    for (const serviceType of ['TAKEOUT', 'INDOOR'])
      expect(verdict({ polygon: [square(0, 0, 1)] }, at(0, 0), {}, { serviceType })).toBe('not_delivery');
  });

  it.each([
    [null, 'options: must be an object'],
    [5, 'options: must be an object'],
    [{ radiusunit: 'km' }, 'options.radiusunit: is unknown; the keys are radiusUnit'],
    [{ radiusUnit: 'mi' }, "radiusUnit: must be 'm' or 'km'"],
  ])('refuses the options %j, also for a service without a radius', (options, message) => {
    for (const area of [{ polygon: [square(0, 0, 1)] }, {}]) {
      expect(() => quote(area, at(0, 0), options as never)).toThrow(ConfigurationError);
      expect(() => quote(area, at(0, 0), options as never)).toThrow(message);
    }
  });

  it('throws for invalid coordinates', () => {
    const area = { polygon: [square(0, 0, 1)] };
    const invalid = [at(91, 0), at(-90.1, 0), at(0, 180.1), at(Number.NaN, 0), {}, null, at('0' as never, 0)];
    for (const to of invalid) expect(() => quote(area, to as Coordinates)).toThrow(ConfigurationError);
    expect(() => quote(area, at(0, Number.POSITIVE_INFINITY))).toThrow(/longitude/);
  });
});
