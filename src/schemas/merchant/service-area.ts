import * as z from 'zod';
import { type Coordinates, coordinatesSchema } from '../common.js';
import { type Money, moneySchema } from '../money.js';
import { bySpec, expected, id, wireObject, withHints } from '../wire.js';

const radiusSchema = wireObject({
  size: z.number(),
  price: bySpec(expected(moneySchema)),
  estimateDeliveryTime: bySpec(expected(z.number())),
});

const geoRadiusSchema = wireObject({
  geoMidpointLatitude: z.number(),
  geoMidpointLongitude: z.number(),
  radius: z.array(radiusSchema).default([]),
});

/** Without one of its corners it would be another area. */
const cornersSchema = withHints(z.array(coordinatesSchema), { isWhole: true });

const polygonSchema = wireObject({
  geoCoordinates: cornersSchema,
  price: moneySchema.optional(),
  estimateDeliveryTime: z.number().optional(),
});

const exclusionPolygonSchema = wireObject({ geoCoordinates: cornersSchema });

/** Spec §2.4. The standard adds `polygon` and `exclusionAreaPolygon`. */
export const serviceAreaSchema = wireObject({
  id: expected(id({ format: 'uuid' })),
  geoRadius: geoRadiusSchema.optional(),
  polygon: z.array(polygonSchema).optional(),
  exclusionAreaPolygon: z.array(exclusionPolygonSchema).optional(),
});

/** One circle of a `GeoRadius`, with its delivery fee (Spec §2.4). */
export type DeliveryRadius = {
  /**
   * The radius. Spec §2.4 does not say the unit: the standard says meters, and real hubs also send kilometers.
   * Always present: a circle without it is left out.
   */
  readonly size: number;
  /** The delivery fee within this circle. Required by Spec §2.4; absence is an issue. */
  readonly price?: Money | undefined;
  /**
   * How long a delivery takes, in minutes by the standard; Spec §2.4 does not say the unit. Required by Spec §2.4;
   * absence is an issue.
   */
  readonly estimateDeliveryTime?: number | undefined;
};

/** Circles around one point, usually the store (Spec §2.4). */
export type GeoRadius = {
  /** Latitude of the center in decimal degrees (Spec §2.4). Always present: without it, `geoRadius` is left out. */
  readonly geoMidpointLatitude: number;
  /** Longitude of the center in decimal degrees (Spec §2.4). Always present: without it, `geoRadius` is left out. */
  readonly geoMidpointLongitude: number;
  /** The circles. The smallest one that contains the address applies (Spec §2.4). Always present: empty by default. */
  readonly radius: readonly DeliveryRadius[];
};

/** An area to which a service delivers, with its fee (standard v1.7.1). */
export type DeliveryPolygon = {
  /** The corners, in order (standard v1.7.1). The last one can repeat the first one. Always present. */
  readonly geoCoordinates: readonly Coordinates[];
  /** The delivery fee in this area (standard v1.7.1). Absent: the hub does not say. */
  readonly price?: Money | undefined;
  /** How long a delivery takes, in minutes (standard v1.7.1). Absent: the hub does not say. */
  readonly estimateDeliveryTime?: number | undefined;
};

/** An area within the delivery area to which a service does not deliver (standard v1.7.1). */
export type ExclusionPolygon = {
  /** The corners, in order (standard v1.7.1). The last one can repeat the first one. Always present. */
  readonly geoCoordinates: readonly Coordinates[];
};

/** Where a DELIVERY service delivers, by circles, polygons or both (Spec §2.4). */
export type ServiceArea = {
  /** The id of the area, a UUID. Required by Spec §2.4; absence is an issue. */
  readonly id?: string | undefined;
  /** Circles around a point (Spec §2.4). Absent: the area is given by `polygon`. */
  readonly geoRadius?: GeoRadius | undefined;
  /** Polygons (standard v1.7.1). Absent: the area is given by `geoRadius`. */
  readonly polygon?: readonly DeliveryPolygon[] | undefined;
  /** Areas that are taken out of the above (standard v1.7.1). Absent: no area is excluded. */
  readonly exclusionAreaPolygon?: readonly ExclusionPolygon[] | undefined;
};
