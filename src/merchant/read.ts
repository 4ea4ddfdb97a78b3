import { InvalidResponseError, type Issue } from '../errors.js';
import { merchant as merchantReader } from '../reading/generated/merchant.js';
import { lenientReader } from '../reading/lenient.js';
import type { Merchant } from '../schemas/merchant.js';

const MIN_TTL_S = 500;
const MAX_TTL_S = 86_400;

const read = lenientReader<Merchant>(merchantReader, [
  'id',
  'basicInfo',
  'services',
  'menus',
  'categories',
  'itemOffers',
  'items',
]);

/**
 * Reads a merchant document in place. Unusable entries are removed, and every
 * deviation is reported as an issue.
 *
 * @throws {InvalidResponseError} the value is not a merchant document; or, with `'strict'`, it has an issue.
 * @see Spec §2.2
 */
export function readMerchant(
  document: unknown,
  validation: 'lenient' | 'strict',
): { merchant: Merchant; issues: readonly Issue[] } {
  const reading = read(document);
  const [first] = reading.issues;
  if (!reading.usable) {
    throw new InvalidResponseError('merchant', `not a merchant document: ${first?.message ?? 'unusable'}`, {
      issues: reading.issues,
    });
  }
  if (validation === 'strict' && first) {
    throw new InvalidResponseError('merchant', `${first.path.join('.')}: ${first.message} (${first.code})`, {
      issues: reading.issues,
    });
  }
  return { merchant: reading.value, issues: reading.issues };
}

/** The document's TTL in ms, within the bounds of Spec §8; the lower bound if it has none. */
export function ttlMsOf(merchant: Merchant): number {
  const seconds = merchant.TTL ?? MIN_TTL_S;
  return Math.min(MAX_TTL_S, Math.max(MIN_TTL_S, seconds)) * 1000;
}

/** `lastUpdate` in epoch ms; undefined if it is missing or unreadable. */
export function lastUpdateAt(merchant: Merchant): number | undefined {
  const text = merchant.lastUpdate;
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}[T ]/.test(text)) return undefined;
  // A date without a zone is read as UTC: dates are only compared, and both then have the same zone.
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`;
  const at = Date.parse(zoned.replace(' ', 'T'));
  return Number.isNaN(at) ? undefined : at;
}
