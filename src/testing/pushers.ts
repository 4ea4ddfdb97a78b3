import { applyDeadlines } from './deadlines.js';
import type { HubState } from './hub-state.js';
import type { HubEvent, MockStore } from './mock-store.js';
import { Pusher, type Pushing, type PushOptions, type PushTarget, resolvePushOptions } from './push.js';

interface StartedPush {
  readonly clientId: string;
  readonly target: PushTarget;
  readonly pusher: Pusher;
}

export class Pushers {
  readonly #hub: HubState;
  /** Those that were stopped included, because of their deliveries. */
  readonly all: StartedPush[] = [];

  constructor(hub: HubState) {
    this.#hub = hub;
  }

  start(target: PushTarget, given: PushOptions | undefined): Pushing {
    const options = resolvePushOptions(given);
    const { stores, options: hubOptions } = this.#hub;
    const { clientId, clientSecret } = stores.get(options.clientId).credentials;
    const pusher = new Pusher({
      ...options,
      target,
      clock: hubOptions.clock,
      accepted: hubOptions.profile.webhook.accepted,
      reachable: (event) => this.#hub.reachableWhereListening(event),
      secret: options.secret ?? clientSecret,
      shopOf: (event) => options.merchantId ?? stores.get(clientId).shopOf(event),
      onAccepted: (event) => {
        if (!options.alsoPolled) stores.get(clientId).pending.delete(event);
      },
    });
    this.all.push({ clientId, target, pusher });
    return pusher;
  }

  push(store: MockStore, event: HubEvent): void {
    const { credentials, pushed } = store;
    const { confirmWithinMs } = this.#hub.options.profile;
    for (const { clientId, pusher } of this.all) {
      if (clientId !== credentials.clientId || pusher.isStopped) continue;
      if (confirmWithinMs !== undefined && event.eventType === 'CREATED') {
        pusher.later(confirmWithinMs, () => applyDeadlines(store, this.#hub));
      }
      void pusher.push(event, (delivery) => pushed.set(event.eventId, delivery));
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
