import { ENDPOINTS, type EndpointName } from '../endpoints.js';

/** Proxies give up with these: request timeout, and client closed request. The hub may have carried out the command. */
const OF_PROXIES: ReadonlySet<number> = new Set([408, 499]);

/** Whether this status of a command is the hub's refusal: the order did not change. */
export const isRejection = (status: number) => status >= 400 && status <= 499 && !OF_PROXIES.has(status);

/** Part of an error's options: `outcome` is set if a command may have been carried out (Spec §4.5). */
export function outcomeOf(endpoint: EndpointName, isUnknown: boolean): { outcome?: 'unknown' } {
  return isUnknown && ENDPOINTS[endpoint].resend === 'unsent' ? { outcome: 'unknown' } : {};
}
