import { ENDPOINT_NAMES, ENDPOINTS, type Endpoint, type EndpointName } from './endpoints.js';
import type { ResolvedProfile, StatusMeaning } from './profile.js';

/** The endpoints of one host. */
export type EndpointTable = Readonly<Record<EndpointName, Endpoint>>;

/** The endpoints of Spec §4 with the paths and limits of a profile. */
export function endpointsOf({ paths, limits }: Pick<ResolvedProfile, 'paths' | 'limits'>): EndpointTable {
  const changed = ENDPOINT_NAMES.filter((name) => paths[name] !== undefined || limits[name] !== undefined);
  // Most clients share one table.
  if (changed.length === 0) return ENDPOINTS;
  const rows = changed.map((name): [EndpointName, Endpoint] => {
    const row: Endpoint = ENDPOINTS[name];
    const { requests = row.limit, windowMs = row.windowMs } = limits[name] ?? {};
    return [name, Object.freeze({ ...row, path: paths[name] ?? row.path, limit: requests, windowMs })];
  });
  return Object.freeze({ ...ENDPOINTS, ...Object.fromEntries(rows) });
}

/**
 * The same endpoints with a polling limit that keeps that of the host and our
 * own: at most twice a minute, whatever the host allows.
 */
export function withOwnPollingLimit(endpoints: EndpointTable): EndpointTable {
  const { limit, windowMs } = endpoints.polling;
  const own = ENDPOINTS.polling;
  if (limit === own.limit && windowMs === own.windowMs) return endpoints;
  // Two polls in each of these windows are at most `limit` in any window of the host.
  const paced =
    limit < own.limit
      ? { limit: 1, windowMs: Math.max(own.windowMs / own.limit, windowMs) }
      : { limit: own.limit, windowMs: Math.max(own.windowMs, Math.ceil(windowMs / Math.floor(limit / 2))) };
  return Object.freeze({ ...endpoints, polling: Object.freeze({ ...endpoints.polling, ...paced }) });
}

/** How long after the start of a poll the next one may be sent, in ms. */
export const minIntervalMsOf = ({ polling: { limit, windowMs } }: EndpointTable): number =>
  Math.ceil(windowMs / limit);

/** What statuses mean at a host: those that its profile lists, and what its other fields say of a refused token request. */
export function meaningsOf({
  statusMeanings,
  token: { clientIdFormat, per },
}: Pick<ResolvedProfile, 'statusMeanings' | 'token'>): readonly StatusMeaning[] {
  if (clientIdFormat === undefined) return statusMeanings;
  const meaning = `clientId has the form ${clientIdFormat}${per === undefined ? '' : `, one for each ${per}`}`;
  const ofToken = [400, 401, 403].map((status): StatusMeaning => ({ status, endpoints: ['token'], meaning }));
  return [...statusMeanings, ...ofToken];
}
