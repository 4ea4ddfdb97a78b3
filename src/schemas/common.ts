import * as z from 'zod';
import { bySpec, openEnum, wireObject } from './wire.js';

const availabilityStatus = () => openEnum(['AVAILABLE', 'UNAVAILABLE']).default('AVAILABLE');

export const statusSchema = availabilityStatus();

/** Of items, offers and options, for which AVAILABLE is the standard's default. */
export const entryStatusSchema = bySpec(availabilityStatus());

/**
 * Whether a merchant or an entry of its menu can be ordered from. UNAVAILABLE means an unplanned stop of unknown
 * length; it does not mean outside opening hours (Spec §3).
 */
export type AvailabilityStatus = 'AVAILABLE' | 'UNAVAILABLE' | (string & {});

export const imageSchema = wireObject({ URL: z.string(), 'CRC-32': z.string().optional() });

/** An image on the web. The standard asks for JPEG, PNG, GIF or WEBP below 10 MB. */
export type Image = {
  /** Where to download the image. Copy it: the URL can stop working (Spec §2.3). Always present. */
  readonly URL: string;
  /** CRC-32 of the file in hex, to see that it changed (standard v1.7.1). Absent: the hub gives no checksum. */
  readonly 'CRC-32'?: string | undefined;
};

export const coordinatesSchema = wireObject({ latitude: z.number(), longitude: z.number() });

/** A place on the map, in decimal degrees (WGS 84, as of GPS). */
export type Coordinates = {
  /** Degrees north of the equator, -90 to 90. Always present. */
  readonly latitude: number;
  /** Degrees east of Greenwich, -180 to 180. Always present. */
  readonly longitude: number;
};

/** Keys of an address before the standard's release candidate 13. */
export const OLD_ADDRESS_KEYS = { streetName: 'street', streetNumber: 'number', neighborhood: 'district' };

export const CARD_BRANDS = [
  'VISA',
  'MASTERCARD',
  'DINERS',
  'AMEX',
  'HIPERCARD',
  'ELO',
  'AURA',
  'DISCOVER',
  'VR_BENEFICIOS',
  'SODEXO',
  'TICKET',
  'GOOD_CARD',
  'BANESCARD',
  'SOROCARD',
  'POLICARD',
  'VALECARD',
  'AGICARD',
  'JCB',
  'CREDSYSTEM',
  'CABAL',
  'GREEN_CARD',
  'VEROCHEQUE',
  'AVISTA',
  'OTHER',
] as const;

/**
 * The brand of a credit, debit or voucher card (standard v1.7.1): VISA, MASTERCARD, DINERS, AMEX, HIPERCARD, ELO, AURA,
 * DISCOVER, VR_BENEFICIOS, SODEXO, TICKET, GOOD_CARD, BANESCARD, SOROCARD, POLICARD, VALECARD, AGICARD, JCB, CREDSYSTEM,
 * CABAL, GREEN_CARD, VEROCHEQUE, AVISTA or OTHER.
 */
export type CardBrand = (typeof CARD_BRANDS)[number] | (string & {});

export const UNITS = ['UN', 'KG', 'L', 'OZ', 'LB', 'GAL'] as const;

/** What a quantity counts: pieces (UN), kilograms, liters, ounces, pounds or gallons (Spec §2.8). */
export type MeasurementUnit = 'UN' | 'KG' | 'L' | 'OZ' | 'LB' | 'GAL' | (string & {});

export const PRIORITIES = ['PRIORITY1', 'PRIORITY2', 'PRIORITY3', 'PRIORITY4', 'PRIORITY5'] as const;

/** How urgent an order is: PRIORITY1 is the most urgent (Spec §2.4). */
export type OrderPriority =
  | 'PRIORITY1'
  | 'PRIORITY2'
  | 'PRIORITY3'
  | 'PRIORITY4'
  | 'PRIORITY5'
  | (string & {});

export const TIMINGS = ['INSTANT', 'SCHEDULED', 'ONDEMAND'] as const;

/**
 * When an order is prepared: INSTANT at once, SCHEDULED for the time in `schedule`, ONDEMAND after the event
 * PREPARATION_REQUESTED (Spec §2.4).
 */
export type OrderTiming = 'INSTANT' | 'SCHEDULED' | 'ONDEMAND' | (string & {});

export const SERVICE_TYPES = ['DELIVERY', 'TAKEOUT', 'INDOOR'] as const;

/**
 * How the customer gets an order: DELIVERY to an address, TAKEOUT at the store's counter, INDOOR to eat in the
 * store (Spec §2.4).
 */
export type ServiceType = 'DELIVERY' | 'TAKEOUT' | 'INDOOR' | (string & {});
