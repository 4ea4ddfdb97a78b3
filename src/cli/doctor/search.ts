import { isHubError } from '../../errors.js';
import { endpointsOf } from '../../host-endpoints.js';
import type { HostProfile, TokenRequestProfile } from '../../host-profile.js';
import { profileOption } from '../../options/profile.js';

/** Base paths that hosts are known to have. */
const BASE_PATHS = ['', '/opendelivery', '/api'];

const CAMEL_CASE = { clientId: 'clientId', clientSecret: 'clientSecret', grantType: 'grantType' };

/** Other forms of the token request that hosts are known to expect. */
const TOKEN_FORMS: readonly (readonly [name: string, form: TokenRequestProfile])[] = [
  ['Basic credentials', { credentials: 'basic' }],
  ['a JSON body', { body: 'json' }],
  ['a JSON body with camelCase names', { body: 'json', fields: CAMEL_CASE }],
  ['a form with camelCase names', { fields: CAMEL_CASE }],
];

/** Something else to try, and what it is. */
export interface Candidate {
  readonly name: string;
  readonly profile: HostProfile;
}

/** What the user has said of the host: that is not searched for. */
export interface GivenAddress {
  readonly basePath?: string;
  readonly tokenUrl?: string;
}

/** Finds out how a host that has refused the token request wants it, with few requests: half of its limit at most. */
export class Search {
  readonly #basePaths: string[];
  readonly #forms: (typeof TOKEN_FORMS)[number][];
  #current: Candidate;
  #left: number;

  constructor(given: HostProfile, { basePath, tokenUrl }: GivenAddress) {
    const isKnown = [basePath, tokenUrl, given.basePath, given.tokenUrl].some((each) => each !== undefined);
    this.#basePaths = isKnown ? [] : BASE_PATHS.filter((each) => each !== '/opendelivery');
    this.#forms = given.token === undefined ? [...TOKEN_FORMS] : [];
    this.#current = { name: '', profile: given };
    const { limit } = endpointsOf(profileOption.check('profile', given)).token;
    // One was sent already.
    this.#left = Math.floor(limit / 2) - 1;
  }

  /** What to try after this error; undefined: nothing. */
  after(error: unknown): Candidate | undefined {
    if (this.#left <= 0 || !isHubError(error) || !('status' in error) || error.code === 'rate_limit')
      return undefined;
    const next = error.status === 404 ? this.#otherPath() : this.#otherForm(error.status);
    if (next === undefined) return undefined;
    this.#left -= 1;
    this.#current = next;
    return next;
  }

  #otherPath(): Candidate | undefined {
    const basePath = this.#basePaths.shift();
    if (basePath === undefined) return undefined;
    return { name: `the base path '${basePath}'`, profile: { ...this.#current.profile, basePath } };
  }

  #otherForm(status: number): Candidate | undefined {
    if (![400, 401, 415].includes(status)) return undefined;
    const [name, token] = this.#forms.shift() ?? [];
    return token && { name: name as string, profile: { ...this.#current.profile, token } };
  }
}
