import { ENDPOINTS, type EndpointName } from '../endpoints.js';

/** Statuses with which a hub says that it did nothing. Any other may come from a proxy behind which it did. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 422, 429]);

/** Whether this status of a command proves that the order has not moved. */
export const isRefusal = (status: number) => REFUSALS.has(status);

/** Part of an error's options: set where a command may have been carried out (Spec §4.5). */
export function outcomeOf(endpoint: EndpointName, isUncertain: boolean): { outcome?: 'unknown' } {
  return isUncertain && ENDPOINTS[endpoint].resend === 'unsent' ? { outcome: 'unknown' } : {};
}
