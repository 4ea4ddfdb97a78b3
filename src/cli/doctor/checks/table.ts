import { ENDPOINT_NAMES, type EndpointName } from '../../../endpoints.js';
import type { Check } from './check.js';
import { commonChecks } from './common.js';
import { MERCHANT_CHECKS } from './merchant.js';
import { ORDER_CHECKS } from './orders.js';
import { POLLING_CHECKS } from './polling.js';
import { TOKEN_CHECKS } from './token.js';

const OWN = [...TOKEN_CHECKS, ...POLLING_CHECKS, ...ORDER_CHECKS, ...MERCHANT_CHECKS];

/** The checks of one endpoint: its own, then those that all have. */
export function checksOf(endpoint: EndpointName): readonly Check[] {
  return [...OWN.filter((check) => check.endpoint === endpoint), ...commonChecks(endpoint)];
}

/** Every check, by endpoint. A new check is one row of a table. */
export const CHECKS: readonly Check[] = ENDPOINT_NAMES.flatMap(checksOf);
