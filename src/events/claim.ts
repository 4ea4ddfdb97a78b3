import { ConfigurationError } from '../errors.js';

/** A poller that runs. */
export interface ClaimOwner {
  stop(): Promise<unknown>;
}

/** The right to poll with one client, which one poller at a time has. The lease does the same among processes. */
export class Claim {
  #owner: ClaimOwner | undefined;

  /** The poller that runs. */
  get owner(): ClaimOwner | undefined {
    return this.#owner;
  }

  /** @throws {ConfigurationError} another poller of the client runs. */
  take(owner: ClaimOwner): void {
    if (this.#owner && this.#owner !== owner) {
      throw new ConfigurationError(
        'poller',
        'another poller of this client is running; stop it first. Two pollers would share one quota, ' +
          'and each would receive only some of the events',
      );
    }
    this.#owner = owner;
  }

  release(owner: ClaimOwner): void {
    if (this.#owner === owner) this.#owner = undefined;
  }
}
