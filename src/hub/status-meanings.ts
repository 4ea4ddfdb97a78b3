import type { ResolvedProfile, StatusMeaning } from './profile.js';

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
