import type { HubClient } from '../../client.js';
import { isHubError } from '../../errors/index.js';
import { endpointsOf } from '../../hub/host-endpoints.js';
import type { HostProfile, TokenRequestProfile } from '../../hub/profile.js';
import { profileOption } from '../../options/profile.js';
import type { Connection } from '../connect.js';
import type { Terminal } from '../terminal.js';

/** The clients of one examination: the first, and those that try other profiles. */
export class Clients implements AsyncDisposable {
  /** With which the hub accepts token requests, as far as that is known. */
  profile: HostProfile;
  /** What the hub has refused too. */
  readonly refused: string[] = [];
  readonly #connect: (profile: HostProfile) => HubClient;
  readonly #open: HubClient[] = [];

  constructor(profile: HostProfile, connect: (profile: HostProfile) => HubClient) {
    this.profile = profile;
    this.#connect = connect;
  }

  open(profile = this.profile): HubClient {
    const client = this.#connect(profile);
    this.#open.push(client);
    return client;
  }

  /**
   * Finds a profile with which the hub accepts a token request, after it has refused one with `refusal`. It sends few
   * requests: half of the hub's limit at most.
   *
   * @param given - what the user has said of the hub.
   */
  async search(terminal: Terminal, given: Connection, refusal: unknown): Promise<HubClient | undefined> {
    const next = candidatesFrom(this.profile, given);
    // One was sent already.
    const { limit } = endpointsOf(profileOption.check('profile', this.profile)).token;
    let error = refusal;
    for (let left = Math.floor(limit / 2) - 1; left > 0; left -= 1) {
      const candidate = next(error);
      if (!candidate) return undefined;
      const client = this.open(candidate.profile);
      try {
        await terminal.withStatus(`trying ${candidate.name}`, () => client.auth.getToken());
        this.profile = candidate.profile;
        return client;
      } catch (reason) {
        error = reason;
        this.refused.push(candidate.name);
      }
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#open.map((client) => client.close()));
  }
}

const BASE_PATHS = ['', '/api'];

const CAMEL_CASE = { clientId: 'clientId', clientSecret: 'clientSecret', grantType: 'grantType' };

/** Other forms of the token request that hosts are known to expect. */
const TOKEN_FORMS: readonly (readonly [name: string, form: TokenRequestProfile])[] = [
  ['Basic credentials', { credentials: 'basic' }],
  ['a JSON body', { body: 'json' }],
  ['a JSON body with camelCase names', { body: 'json', fields: CAMEL_CASE }],
  ['a form with camelCase names', { fields: CAMEL_CASE }],
];

/** What to try after an error of the token request; undefined: nothing. What the user has said of the host is not searched for. */
function candidatesFrom(given: HostProfile, { basePath, tokenUrl }: Connection) {
  const isKnown = [basePath, tokenUrl, given.basePath, given.tokenUrl].some((each) => each !== undefined);
  const basePaths = isKnown ? [] : [...BASE_PATHS];
  const forms = given.token === undefined ? [...TOKEN_FORMS] : [];
  let profile = given;
  return (error: unknown): { readonly name: string; readonly profile: HostProfile } | undefined => {
    if (!isHubError(error) || !('status' in error) || error.code === 'rate_limit') return undefined;
    if (error.status === 404) {
      const path = basePaths.shift();
      if (path === undefined) return undefined;
      profile = { ...profile, basePath: path };
      return { name: `the base path '${path}'`, profile };
    }
    const form = [400, 401, 415].includes(error.status) ? forms.shift() : undefined;
    if (!form) return undefined;
    profile = { ...profile, token: form[1] };
    return { name: form[0], profile };
  };
}
