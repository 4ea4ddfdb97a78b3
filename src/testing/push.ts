import { createHmac } from 'node:crypto';
import { abandonOnAbort, unlessFails } from '../async/promises.js';
import { ConfigurationError } from '../errors/index.js';
import { boolean, HEADER_SAFE, number, string } from '../options/checks.js';
import {
  type GivenOptions,
  type OptionValues,
  option,
  resolveTable,
  withoutDefault,
} from '../options/table.js';
import { readRetryAfterMs } from '../quota/headers.js';
import { type Clock, startTimer } from '../time/clock.js';
import type { HubEvent } from './mock-store.js';

/** Where the mock hub pushes events: an address, or a function that answers requests, such as `poller.receive`. */
export type PushTarget = string | URL | ((request: Request) => Promise<Response>);

const OPTIONS = {
  /** The store whose events are pushed; default: the first store. */
  clientId: withoutDefault<string>(string("a store's clientId")),
  /** Signs the body; default: the store's client secret. */
  secret: withoutDefault<string>(string('a secret')),
  /** If true, polls return an event until it is acknowledged, even if its push got 2xx. Default false. */
  alsoPolled: option(false, boolean()),
  /** How often an event is pushed at most. After the last failed attempt, only polls return it. Default 5. */
  attempts: option(5, number({ min: 1, integer: true, unit: 'attempts' })),
  /** `X-App-Id`. */
  appId: option('00000000-0000-4000-8000-00000000a991', string('an id', HEADER_SAFE)),
  /** `X-App-MerchantId`. Default: the event's `merchantId`, otherwise the id of the store's merchant document. */
  merchantId: withoutDefault<string>(string("a merchant's id", HEADER_SAFE)),
};

/** Options of `mock.push`; all are optional. */
export interface PushOptions extends GivenOptions<typeof OPTIONS> {}

type ResolvedPushOptions = OptionValues<typeof OPTIONS>;

/** @throws {ConfigurationError} an option is unknown or invalid. */
export function resolvePushOptions(given: PushOptions = {}): ResolvedPushOptions {
  return resolveTable<ResolvedPushOptions>(OPTIONS, given);
}

/** One try to push an event. */
export interface PushDelivery {
  /** The id of the event. */
  readonly eventId: string;
  /** When it was sent, in epoch ms of the mock hub's clock. */
  readonly at: number;
  /** From 1. */
  readonly attempt: number;
  /** The status of the response; undefined if there was none. */
  readonly status: number | undefined;
}

/** The pushes that `mock.push` started. */
export interface Pushing {
  /** Every try that has ended, oldest first. */
  readonly deliveries: readonly PushDelivery[];
  /** Stops pushing, and aborts what is being sent. */
  stop(): void;
}

interface PusherOptions extends ResolvedPushOptions {
  readonly target: PushTarget;
  readonly clock: Clock;
  readonly secret: string;
  readonly shopOf: (event: HubEvent) => string;
  /** The only status that accepts an event; undefined: any 2xx. */
  readonly accepted: number | undefined;
  /** The event with an `orderURL` that can be requested. */
  readonly reachable: (event: HubEvent) => HubEvent;
  /** The hub forgets an event whose push was accepted. */
  readonly onAccepted: (event: HubEvent) => void;
}

const TIMEOUT_MS = 10_000;

/** The pause after the first failed try; it doubles with each one. */
const FIRST_PAUSE_MS = 1000;

/** Pushes the events of one store to a webhook, signed as in the standard. */
export class Pusher implements Pushing {
  readonly deliveries: PushDelivery[] = [];
  readonly #options: PusherOptions;
  readonly #send: (request: Request) => Promise<Response>;
  readonly #cancels = new Set<() => void>();
  readonly #sending = new Set<AbortController>();
  isStopped = false;

  /** @throws {ConfigurationError} the target is not an address. */
  constructor(options: PusherOptions) {
    const { target } = options;
    this.#options = options;
    const isAddress = /^https?:\/\//i.test(String(target)) && URL.canParse(String(target));
    if (typeof target !== 'function' && !isAddress) {
      throw new ConfigurationError(
        'push',
        'must be an address (http or https), or a function that answers a Request',
      );
    }
    this.#send = typeof target === 'function' ? target : (request) => globalThis.fetch(request);
  }

  /** Sends the event, and tries again until it is accepted. */
  async push(event: HubEvent, onTried: (delivery: PushDelivery) => void): Promise<void> {
    const { clock, attempts, accepted, onAccepted } = this.#options;
    for (let attempt = 1; !this.isStopped; attempt += 1) {
      const at = clock.now();
      const response = await this.#respond(event);
      const delivery = { eventId: event.eventId, at, attempt, status: response?.status };
      this.deliveries.push(delivery);
      onTried(delivery);
      if (this.isStopped) return;
      if (accepted === undefined ? response?.ok : response?.status === accepted) return onAccepted(event);
      if (attempt === attempts) return;
      const askedMs =
        response && readRetryAfterMs((name) => response.headers.get(name) ?? undefined, clock.now());
      const pauseMs = askedMs ?? FIRST_PAUSE_MS * 2 ** (attempt - 1);
      await new Promise<void>((resolve) => this.later(pauseMs, resolve));
    }
  }

  stop(): void {
    this.isStopped = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
    for (const sending of this.#sending) sending.abort();
  }

  /** @returns undefined if there was no response in time. */
  async #respond(event: HubEvent): Promise<Response | undefined> {
    const sending = new AbortController();
    const { signal } = sending;
    const cancel = this.later(TIMEOUT_MS, () => sending.abort());
    this.#sending.add(sending);
    const responded = Promise.resolve().then(() => this.#send(this.#requestOf(event, signal)));
    // A body that nobody reads would keep the connection.
    responded.then(({ body }) => body?.cancel()).catch(() => {});
    const response = await unlessFails(() => abandonOnAbort(responded, signal));
    cancel();
    this.#sending.delete(sending);
    return response;
  }

  #requestOf(event: HubEvent, signal: AbortSignal): Request {
    const { target, secret, appId, shopOf, reachable } = this.#options;
    const body = JSON.stringify(reachable(event));
    const shop = shopOf(event);
    return new Request(typeof target === 'function' ? 'http://webhook.example/v1/newEvent' : target, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-app-id': appId,
        ...(HEADER_SAFE.test(shop) && { 'x-app-merchantid': shop }),
        'x-app-signature': createHmac('sha256', secret).update(body).digest('hex'),
      },
      body,
      signal,
    });
  }

  /** A process does not stay alive for it. */
  later(ms: number, work: () => void): () => void {
    const onDue = () => {
      this.#cancels.delete(cancel);
      work();
    };
    const cancelTimer = startTimer(this.#options.clock, ms, onDue, true);
    const cancel = () => {
      this.#cancels.delete(cancel);
      cancelTimer();
    };
    this.#cancels.add(cancel);
    return cancel;
  }
}
