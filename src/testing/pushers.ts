import type { HubEvent, MockStore } from './mock-store.js';
import type { ResolvedMockHubOptions } from './options.js';
import {
  Pusher,
  type PusherOptions,
  type Pushing,
  type PushOptions,
  type PushTarget,
  resolvePushOptions,
} from './push.js';
import type { Stores } from './stores.js';

export interface StartedPush {
  readonly clientId: string;
  readonly target: PushTarget;
  readonly pusher: Pusher;
}

export class Pushers {
  readonly #options: Pick<ResolvedMockHubOptions, 'clock' | 'profile'>;
  readonly #stores: Stores;
  readonly #reachable: PusherOptions['reachable'];
  /** Those that were stopped included, because of their deliveries. */
  readonly all: StartedPush[] = [];

  constructor(
    options: Pick<ResolvedMockHubOptions, 'clock' | 'profile'>,
    stores: Stores,
    reachable: PusherOptions['reachable'],
  ) {
    this.#options = options;
    this.#stores = stores;
    this.#reachable = reachable;
  }

  start(target: PushTarget, given: PushOptions | undefined): Pushing {
    const options = resolvePushOptions(given);
    const { clientId, clientSecret } = this.#stores.get(options.clientId).credentials;
    const pusher = new Pusher({
      ...options,
      target,
      clock: this.#options.clock,
      accepted: this.#options.profile.webhook.accepted,
      reachable: this.#reachable,
      secret: options.secret ?? clientSecret,
      shopOf: (event) => options.merchantId ?? this.#stores.get(clientId).shopOf(event),
      onTried: (delivery) => this.#stores.get(clientId).pushed.set(delivery.eventId, delivery),
      onAccepted: (event) => {
        if (!options.alsoPolled) this.#stores.get(clientId).pending.delete(event);
      },
    });
    this.all.push({ clientId, target, pusher });
    return pusher;
  }

  push({ credentials }: MockStore, event: HubEvent): void {
    for (const { clientId, pusher } of this.all) {
      if (clientId === credentials.clientId) pusher.push(event);
    }
  }

  /** @param clientId - of the only store whose pushes end. */
  stop(clientId?: string): void {
    for (const started of this.all.splice(0)) {
      if (clientId === undefined || started.clientId === clientId) started.pusher.stop();
      else this.all.push(started);
    }
  }
}
