import { InvalidResponseError, type Issue } from '../errors/index.js';
import { lenientReader } from '../reading/fields.js';
import { merchant as merchantReader } from '../reading/generated/merchant.js';
import { sentPath } from '../reading/issue-collector.js';
import { MERCHANT_KEYS } from '../schemas/collections.js';
import type { Merchant } from '../schemas/merchant.js';

const MIN_TTL_S = 500;
const MAX_TTL_S = 86_400;

const TTL_OUT_OF_RANGE: Issue = {
  path: ['TTL'],
  code: 'format',
  message: `is not between ${MIN_TTL_S} and ${MAX_TTL_S} seconds; read as the nearest of them`,
  against: 'spec',
};

const read = lenientReader<Merchant>(merchantReader, MERCHANT_KEYS);

/**
 * Reads a merchant document in place. Unusable entries are removed, and every
 * deviation of an entry is reported as an issue.
 *
 * @throws {InvalidResponseError} the value is not a merchant document.
 * @see Spec §2.2
 */
export function readMerchant(document: unknown): {
  readonly merchant: Merchant;
  readonly issues: readonly Issue[];
  /** An issue of the merchant that was read, with its path in the document as the hub sent it. */
  readonly asSent: (issue: Issue) => Issue;
} {
  const reading = read(document);
  if (!reading.usable) {
    const [first] = reading.issues;
    throw new InvalidResponseError('merchant', `not a merchant document: ${first?.message ?? 'unusable'}`, {
      issues: reading.issues,
    });
  }
  const { value: merchant, indices } = reading;
  const isInRange = ttlMsOf(merchant) === (merchant.TTL ?? MIN_TTL_S) * 1000;
  const issues = isInRange ? reading.issues : [...reading.issues, TTL_OUT_OF_RANGE];
  return { merchant, issues, asSent: (issue) => ({ ...issue, path: sentPath(issue.path, indices) }) };
}

/** @throws {InvalidResponseError} one of the issues is not allowed. */
export function requireValid(issues: readonly Issue[], validation: 'strict' | 'strict-spec'): void {
  const error = issues.find(({ against }) => validation === 'strict-spec' || against !== 'spec');
  if (!error) return;
  const message = `${error.path.join('.')}: ${error.message} (${error.code})`;
  throw new InvalidResponseError('merchant', message, { issues });
}

/** The document's TTL in ms, within the bounds of Spec §8; the lower bound if it has none. */
export function ttlMsOf(merchant: Merchant): number {
  const seconds = merchant.TTL ?? MIN_TTL_S;
  return Math.min(MAX_TTL_S, Math.max(MIN_TTL_S, seconds)) * 1000;
}
