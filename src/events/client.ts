import type { Lifetime } from '../async/promises.js';
import type { Account } from '../auth/account.js';
import { ConfigurationError } from '../errors/index.js';
import { type CallOptions, callOptionsCheck } from '../http/call-options.js';
import { listOf, number, resolve, type Secret, secret } from '../options/checks.js';
import type { Patience } from '../quota/request.js';
import type { OrderEvent } from '../schemas/event.js';
import type { Services } from '../services/services.js';
import type {
  AcknowledgeableEvent,
  AcknowledgeOptions,
  AcknowledgeResult,
  Acknowledgments,
  RejectedEvent,
} from './acknowledgments.js';
import { merchants } from './merchants.js';
import { PushVerifier } from './push/verify.js';
import { type PollResult, pollCall } from './read.js';

export type { AcknowledgeableEvent, AcknowledgeOptions, AcknowledgeResult };

/** Options of one poll, for callers that do their own scheduling and retries. */
export interface PollOptions extends CallOptions {
  /** How often to try, instead of the client's `retry.attempts`. */
  readonly attempts?: number;
  /** How long to wait for quota. Default: as the client's `rateLimit` says. */
  readonly patience?: Patience;
  /** Ids of the shops whose events are polled, at most 100. Default: all of the credentials. */
  readonly merchants?: readonly string[] | undefined;
}

/** How a push is checked. */
export interface VerifyOptions {
  /** Secrets with which the hub may sign, beside `clientSecret`: strings, or functions that return one. Default none. */
  readonly secrets?: readonly Secret[] | undefined;
  /**
   * How long you remember a handled event, in ms. Default 86 400 000, a day. A push is refused if its `createdAt` is
   * older than three quarters of it, or more than a quarter ahead.
   */
  readonly rememberMs?: number | undefined;
}

const VERIFY_DEFAULTS = { secrets: [] as readonly Secret[], rememberMs: 86_400_000 };
const VERIFY_CHECKS = {
  secrets: listOf(secret('a secret that the hub signs with, a string')),
  rememberMs: number({ min: 0, unit: 'ms' }),
};

const checkPoll = callOptionsCheck<PollOptions>('attempts', 'patience', 'merchants');
const checkAcknowledge = callOptionsCheck<AcknowledgeOptions>('deadlineMs', 'patience');

interface EventsClientOptions {
  readonly services: Services;
  readonly account: Account;
  readonly lifetime: Lifetime;
  readonly acknowledgments: () => Acknowledgments;
}

/** Single polls and acknowledgments (Spec §4.3, §4.4). `EventPoller` uses both. */
export class EventsClient {
  readonly #options: EventsClientOptions;
  /** Without other secrets, for calls at the same moment. */
  #verifier: PushVerifier | undefined;

  /** @internal */
  constructor(options: EventsClientOptions) {
    this.#options = options;
  }

  /**
   * Polls once. The hub sends unconfirmed events again at every poll, up to
   * 1,000 of them. No filter is sent, because some hubs confirm the events that
   * a filter leaves out.
   *
   * @throws {AuthenticationError} the hub refused the credentials, or a fresh token.
   * @throws {NotFoundError} a wrong baseUrl or basePath; never read as "no events".
   * @throws {RateLimitError} no slot within `rateLimit.maxWaitMs`, or 429 (Spec §8).
   * @see Spec §4.3, §6.2
   */
  async poll(options: PollOptions = {}): Promise<PollResult> {
    const { merchants: given, ...call } = checkPoll(options);
    const { services, account, lifetime } = this.#options;
    return services.send(account, pollCall(account, given && merchants('merchants', given), call), lifetime);
  }

  /**
   * Confirms events with the hub, which then stops sending them. Accepts any
   * number of events, removes duplicates, sends at most 100 in a request and at
   * most four requests at a time.
   *
   * A refused batch is halved until the bad item is found. An id that was
   * refused is from then on sent alone, and rarely.
   *
   * @throws {RateLimitError} 429 after retries, and nothing could be confirmed.
   * @throws {HubError} another failure of the requests, and nothing could be confirmed.
   * @see Spec §4.4, §6.2, §8
   */
  async acknowledge(
    events: readonly AcknowledgeableEvent[],
    given: AcknowledgeOptions = {},
  ): Promise<AcknowledgeResult> {
    this.#options.lifetime.throwIfClosed();
    const options = checkAcknowledge(given);
    options.signal?.throwIfAborted();
    if (!Array.isArray(events)) throw new ConfigurationError('events', 'must be an array of events');
    const { usable, rejected } = usableEvents(events);
    return this.#options.acknowledgments().send(usable, options, rejected);
  }

  /**
   * Checks a request with which the hub pushes events (the standard's webhook `newEvent`): method, size, signature,
   * shape and age. It handles, remembers and acknowledges nothing, and needs no poller: for functions that pass the
   * events on. An event that comes twice is returned twice. `poller.receive` does the same, and handles the events.
   *
   * @param request - with its body unread, because the signature covers the raw bytes.
   * @returns the events of the push, usually one; `merchantId` is added from the header `X-App-MerchantId`.
   * @throws {PushRefusedError} it is not accepted; answer with the error's `status`.
   * @throws {ConfigurationError} an option is unknown or invalid; there is no secret; or no known secret fits, and the
   * function of another one returned no usable string.
   * @throws {TimeoutError} no known secret fits, and the function of another one did not return.
   */
  async verify(request: Request, options: VerifyOptions = {}): Promise<OrderEvent[]> {
    const { services, lifetime } = this.#options;
    lifetime.throwIfClosed();
    const { secrets, rememberMs } = resolve('', options, VERIFY_DEFAULTS, VERIFY_CHECKS);
    let verifier = this.#verifier;
    if (!verifier || secrets.length > 0) {
      verifier = new PushVerifier({ services, store: this.#options, secrets, option: 'secrets' });
      if (secrets.length === 0) this.#verifier = verifier;
    }
    const { events } = await lifetime.run(() => verifier.verify(request, rememberMs));
    return [...events];
  }
}

/** Removes duplicates, and rejects what is not an event. */
function usableEvents(events: readonly unknown[]): {
  usable: AcknowledgeableEvent[];
  rejected: RejectedEvent[];
} {
  const usable: AcknowledgeableEvent[] = [];
  const rejected: RejectedEvent[] = [];
  const seen = new Set<string>();
  events.forEach((event, index) => {
    if (isAcknowledgeable(event)) {
      const content = JSON.stringify([
        event.eventId,
        event.orderId,
        event.receivedEventType ?? event.eventType,
      ]);
      if (!seen.has(content)) usable.push(event);
      seen.add(content);
      return;
    }
    const eventId: unknown = typeof event === 'object' && event !== null ? Reflect.get(event, 'eventId') : '';
    rejected.push({
      eventId: typeof eventId === 'string' ? eventId : '',
      error: new ConfigurationError(
        `events[${index}]`,
        'needs eventId, orderId and eventType as non-empty strings; pass the events that poll() returned',
      ),
    });
  });
  return { usable, rejected };
}

function isAcknowledgeable(event: unknown): event is AcknowledgeableEvent {
  if (typeof event !== 'object' || event === null) return false;
  const { eventId, orderId, eventType } = event as Partial<Record<string, unknown>>;
  return isNonEmpty(eventId) && isNonEmpty(orderId) && isNonEmpty(eventType);
}

const isNonEmpty = (value: unknown) => typeof value === 'string' && value !== '';
