import type { Clock } from '../time/clock.js';
import type { HubEvent, MockStore } from './mock-store.js';
import { Pusher, type Pushing, type PushOptions, type PushTarget, resolvePushOptions } from './push.js';
import type { Stores } from './stores.js';

export interface StartedPush {
  readonly clientId: string;
  readonly target: PushTarget;
  readonly pusher: Pusher;
}

export class Pushers {
  readonly #clock: Clock;
  readonly #stores: Stores;
  readonly #accepted: number | undefined;
  /** Those that were stopped included, because of their deliveries. */
  readonly all: StartedPush[] = [];

  /** @param accepted - the only status that accepts a push; undefined: any 2xx. */
  constructor(clock: Clock, stores: Stores, accepted: number | undefined) {
    this.#clock = clock;
    this.#stores = stores;
    this.#accepted = accepted;
  }

  start(target: PushTarget, given: PushOptions | undefined): Pushing {
    const options = resolvePushOptions(given);
    const { credentials, merchant } = this.#stores.get(options.clientId);
    const { clientId, clientSecret } = credentials;
    const pusher = new Pusher({
      ...options,
      target,
      clock: this.#clock,
      accepted: this.#accepted,
      secret: options.secret ?? clientSecret,
      merchantId: options.merchantId ?? String(merchant.id),
      onAccepted: ({ eventId }) => {
        if (!options.alsoPolled) this.#stores.get(clientId).pending.delete(eventId);
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
