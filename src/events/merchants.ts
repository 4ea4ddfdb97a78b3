import { ConfigurationError } from '../errors.js';
import { type Check, HEADER_SAFE, string } from '../option-checks.js';
import type { OrderEvent } from '../schemas/event.js';

/** The most shops that one poll may name, by the standard. */
const MAX_MERCHANTS = 100;

const id = string('a merchant id', HEADER_SAFE);

/** The option `merchants` of pollers and of `poll`. */
export const merchants: Check<readonly string[]> = (name, value) => {
  if (!Array.isArray(value) || value.length === 0) {
    throw new ConfigurationError(
      name,
      'must be an array of merchant ids; leave it out to poll for all of them',
    );
  }
  if (value.length > MAX_MERCHANTS) {
    throw new ConfigurationError(
      name,
      `must contain at most ${MAX_MERCHANTS} ids, not ${value.length}; poll for the others with another poller and other credentials`,
    );
  }
  return Object.freeze(
    value.map((each: unknown, index) => {
      const given = id(`${name}[${index}]`, each).trim();
      if (given !== '' && !given.includes(',')) return given;
      throw new ConfigurationError(`${name}[${index}]`, 'must be one merchant id, without a comma');
    }),
  );
};

/** The header of a poll for these shops. Hosts expect it joined by commas. */
export const pollHeaders = (of: readonly string[] | undefined) =>
  of && { 'x-polling-merchants': of.join(',') };

/**
 * The shop of an event: the one that the event itself or the push names, otherwise the one
 * that was polled, if it was only one.
 */
export function merchantIdOf(event: OrderEvent, polled: readonly string[] | undefined): string | undefined {
  const own: unknown = Reflect.get(event, 'merchantId');
  if (typeof own === 'string' && own !== '') return own;
  return polled?.length === 1 ? polled[0] : undefined;
}
