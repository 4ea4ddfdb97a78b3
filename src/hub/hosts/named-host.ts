import type { HostProfile } from '../profile.js';

/** One thing in which a host differs from the hub's specification, with its source. */
export interface HostDeviation {
  /** Where it is in the profile, such as `'token.body'`. */
  readonly field: string;
  /** The value in the profile. */
  readonly value: unknown;
  /** The document that says so. None of it was tested at the host, and the text says that too. */
  readonly source: string;
  /** The day on which it was taken from the source, such as `'2026-11-24'`. */
  readonly date: string;
}

/**
 * What public documents say of a host that many integrations meet. Nothing of it was tested at the host.
 *
 * @example
 * ```ts
 * import { food99 } from 'opendelivery-client/hosts';
 *
 * const hub = new HubClient({ baseUrl, profile: food99.profile, ...credentials });
 * const mock = createMockHub({ profile: food99.profile });
 * ```
 */
export interface NamedHost {
  /** The name for `opendelivery mock --host-profile`. */
  readonly name: string;
  /** The host as data, for the option `profile`. */
  readonly profile: HostProfile;
  /** Every field of the profile that differs from the hub's specification, with its source. */
  readonly deviations: readonly HostDeviation[];
}

/** @param sources - of each field of the profile: where it is said. */
export function namedHost(
  name: string,
  profile: HostProfile,
  sources: Readonly<Record<string, string>>,
): NamedHost {
  const deviations = Object.entries(sources).map(([field, source]) => ({
    field,
    value: field.split('.').reduce<unknown>((at, key) => Reflect.get(Object(at), key), profile),
    source: `${source}; from public documents, not tested at the host`,
    date: '2026-11-24',
  }));
  return { name, profile, deviations };
}
