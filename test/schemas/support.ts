import type { Merchant, Order } from 'opendelivery-client';
import { lenientReader } from '../../src/reading/fields.js';
import { merchant } from '../../src/reading/generated/merchant.js';
import { order } from '../../src/reading/generated/order.js';
import { type Json, merchantFixture } from '../../src/testing/fixtures.js';
import { orderFixture } from '../../src/testing/orders.js';

const NOW = '2026-05-04T03:02:01Z';

export const readMerchant = lenientReader<Merchant>(merchant);
export const readOrder = lenientReader<Order>(order);

/** The arrays whose entries have ids; not imported from the source, so that tests fail if it drops one. */
export const COLLECTIONS = [
  'services',
  'menus',
  'categories',
  'itemOffers',
  'items',
  'optionGroups',
  'availabilities',
] as const;

/** A copy, as if it was received: no two places share an object. */
export const cleanMerchant = (): Json => JSON.parse(JSON.stringify(merchantFixture(NOW)));
export const cleanOrder = (): Json => JSON.parse(JSON.stringify(orderFixture('o', '1', NOW)));

/** Each issue as `path code`. */
export const pathsAndCodes = ({
  issues,
}: {
  issues: ReadonlyArray<{ path: ReadonlyArray<string | number>; code: string }>;
}) => issues.map(({ path, code }) => `${path.join('.')} ${code}`);

export const at = (document: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Json | undefined)?.[key], document);

/** Sets one value of a valid document, or deletes it if `value` is undefined. */
export function changed(document: Json, path: string, value: unknown): Json {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const parent = (keys.length > 0 ? at(document, keys.join('.')) : document) as Record<string, unknown>;
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return document;
}

export function merchantWith(path: string, value: unknown) {
  const reading = readMerchant(changed(cleanMerchant(), path, value));
  if (!reading.usable) throw new Error('not usable');
  return { merchant: reading.value, issues: pathsAndCodes(reading) };
}

export function orderWith(path: string, value: unknown) {
  const reading = readOrder(changed(cleanOrder(), path, value));
  if (!reading.usable) throw new Error('not usable');
  return { order: reading.value, issues: pathsAndCodes(reading) };
}
