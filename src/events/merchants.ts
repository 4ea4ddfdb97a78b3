import { ConfigurationError } from '../errors/index.js';
import { type Check, HEADER_SAFE, string } from '../options/checks.js';

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
