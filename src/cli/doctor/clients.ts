import type { HubClient } from '../../client.js';
import type { HostProfile } from '../../host-profile.js';
import type { HubClientOptions } from '../../options.js';
import { connect } from '../connect.js';
import type { ConnectionOptions } from '../connection-options.js';
import { Environment } from '../environment.js';
import type { Terminal } from '../terminal.js';
import { Search } from './search.js';

/** The clients of one examination: the first, and those that try other profiles. They share a state, so the limits too. */
export class Clients {
  /** With which the hub accepts token requests, as far as that is known. */
  profile: HostProfile;
  /** What the hub has refused too. */
  readonly refused: string[] = [];
  readonly #terminal: Terminal;
  readonly #options: ConnectionOptions;
  readonly #onClient: (client: HubClient) => void;
  readonly #clientOptions: Partial<HubClientOptions>;
  readonly #open: HubClient[] = [];
  #current: HubClient | undefined;

  constructor(
    terminal: Terminal,
    options: ConnectionOptions,
    onClient: (client: HubClient) => void,
    clientOptions: Partial<HubClientOptions>,
  ) {
    this.#terminal = terminal;
    this.#options = options;
    this.#onClient = onClient;
    this.#clientOptions = clientOptions;
    this.profile = clientOptions.profile ?? {};
  }

  /** A client with the present profile. */
  async first(): Promise<HubClient> {
    this.#current = await this.#connect(this.#options, this.profile);
    return this.#current;
  }

  /** The client that the hub has accepted, otherwise the first. */
  get current(): HubClient {
    return this.#current as HubClient;
  }

  /** Finds a profile with which the hub accepts a token request, after it has refused one with `refusal`. */
  async search(refusal: unknown): Promise<HubClient | undefined> {
    const { env, baseUrl = Environment.read(env).get('HUB_BASE_URL')?.value } = this.#options;
    // The first client has written the note about the file that names the hub.
    const options = { ...this.#options, ...(baseUrl !== undefined && { baseUrl }) };
    const search = new Search(this.profile, this.#options);
    let error = refusal;
    for (let next = search.after(error); next; next = search.after(error)) {
      const client = await this.#connect(options, next.profile);
      try {
        await this.#terminal.withStatus(`trying ${next.name}`, () => client.auth.getToken());
        this.profile = next.profile;
        this.#current = client;
        return client;
      } catch (reason) {
        error = reason;
        this.refused.push(next.name);
      }
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#open.map((client) => client.close()));
  }

  async #connect(options: ConnectionOptions, profile: HostProfile): Promise<HubClient> {
    const client = await connect(this.#terminal, options, 'either', { ...this.#clientOptions, profile });
    this.#onClient(client);
    this.#open.push(client);
    return client;
  }
}
