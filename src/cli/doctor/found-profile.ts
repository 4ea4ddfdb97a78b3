import { ENDPOINT_NAMES, ENDPOINTS } from '../../hub/endpoints.js';
import type { HostProfile } from '../../hub/profile.js';
import { DEFAULTS } from '../../options/client-options.js';
import { profileOption } from '../../options/profile.js';
import { isObject } from '../../reading/json.js';
import { limitOf } from './observations.js';
import type { Recorder } from './recorder.js';

const PATHS = Object.fromEntries(ENDPOINT_NAMES.map((name) => [name, ENDPOINTS[name].path]));

/**
 * The profile of the host as far as the doctor knows it: what differs from the
 * spec. Without headers, which may be secret, and without a signer, which is not data.
 *
 * @param profile - with which the host accepted the requests.
 */
export function foundProfile(profile: HostProfile, recorder: Recorder): HostProfile {
  const { headers: _, sign: __, ...given } = profileOption.check('profile', profile);
  const limits = { ...given.limits, ...stricterLimits(recorder) };
  const defaults = { ...profileOption.default, basePath: DEFAULTS.basePath, paths: PATHS };
  return differing({ ...given, limits }, defaults);
}

/** The fields that differ from the defaults, at any depth. */
function differing(values: object, defaults: object): object {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => {
      const usual: unknown = Reflect.get(defaults, key);
      const changed = isObject(value) && isObject(usual) ? differing(value, usual) : value;
      const isUsual = value === usual || (isObject(changed) && Object.keys(changed).length === 0);
      return value === undefined || isUsual ? [] : [[key, changed]];
    }),
  );
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
