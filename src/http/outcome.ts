import { ENDPOINTS, type EndpointName } from '../endpoints.js';

/** Statuses that mean the hub did nothing. Any other may come from a proxy although the hub carried out the command. */
const REJECTIONS: ReadonlySet<number> = new Set([400, 401, 403, 404, 422, 429]);

/** Whether this status of a command proves that the order did not change. */
export const isRejection = (status: number) => REJECTIONS.has(status);

/** Part of an error's options: `outcome` is set if a command may have been carried out (Spec §4.5). */
export function outcomeOf(endpoint: EndpointName, isUnknown: boolean): { outcome?: 'unknown' } {
  return isUnknown && ENDPOINTS[endpoint].resend === 'unsent' ? { outcome: 'unknown' } : {};
}
