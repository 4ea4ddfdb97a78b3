import { ENDPOINT_NAMES, ENDPOINTS } from '../../hub/endpoints.js';
import type { HostProfile } from '../../hub/profile.js';
import { DEFAULTS } from '../../options/client-options.js';
import { profileOption } from '../../options/profile.js';
import { limitOf } from './observations.js';
import type { Recorder } from './recorder.js';

/**
 * The profile of the host as far as the doctor knows it: what differs from the
 * spec. Without headers, which may be secret, and without a signer, which is not data.
 *
 * @param profile - with which the host accepted the requests.
 */
export function foundProfile(profile: HostProfile, recorder: Recorder): HostProfile {
  const { name, basePath, tokenUrl, paths, token, limits, headers, sign, ...others } = profileOption.check(
    'profile',
    profile,
  );
  const own = profileOption.default.token;
  const changedFields = without(token.fields, own.fields);
  const changedToken = {
    ...without({ ...token, fields: undefined, extra: undefined }, own),
    ...(hasAny(changedFields) && { fields: changedFields }),
    ...(hasAny(token.extra) && { extra: token.extra }),
  };
  const changedPaths = without(
    paths,
    Object.fromEntries(ENDPOINT_NAMES.map((each) => [each, ENDPOINTS[each].path])),
  );
  const allLimits = { ...limits, ...stricterLimits(recorder) };
  return {
    ...(name !== undefined && { name }),
    ...(basePath !== undefined && basePath !== DEFAULTS.basePath && { basePath }),
    ...(tokenUrl !== undefined && { tokenUrl }),
    ...(hasAny(changedPaths) && { paths: changedPaths }),
    ...(hasAny(changedToken) && { token: changedToken }),
    ...(hasAny(allLimits) && { limits: allLimits }),
    ...without(others, profileOption.default),
  };
}

/** Limits below those of the spec. The headers do not say how long the window is: it is taken to be that of the spec. */
function stricterLimits(recorder: Recorder): NonNullable<HostProfile['limits']> {
  const found = ENDPOINT_NAMES.flatMap((name) => {
    const requests = limitOf(recorder, name);
    const { limit, windowMs } = ENDPOINTS[name];
    return requests !== undefined && requests > 0 && requests < limit ? [[name, { requests, windowMs }]] : [];
  });
  return Object.fromEntries(found) as NonNullable<HostProfile['limits']>;
}

const hasAny = (object: object) => Object.keys(object).length > 0;

const without = <T extends object>(values: T, defaults: object): Partial<T> =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([key, value]) => value !== undefined && value !== Reflect.get(defaults, key),
    ),
  ) as Partial<T>;
