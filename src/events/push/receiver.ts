import { SingleFlight } from '../../async/single-flight.js';
import { ConfigurationError } from '../../errors.js';
import type { Cycle } from '../cycle.js';
import type { Outcomes } from '../outcomes.js';
import { type PollerContext, WHOLE } from '../poller-context.js';
import type { PollResult } from '../read.js';
import { PushQueue } from './push-queue.js';
import { readBody, readPush, refusalOf } from './push-request.js';
import { notNow, type Refusal, refused } from './refusal.js';

export interface ReceiverOptions {
  readonly context: PollerContext;
  readonly cycle: Cycle;
  readonly outcomes: Outcomes;
  /** Why the poller handles nothing now; undefined if it does. */
  readonly standstill: () => string | undefined;
  /** Acquires the store's lease, or keeps it. @returns 0, or how long another process has it, in ms. */
  readonly acquireLease: () => Promise<number>;
}

/** Answers what the hub pushes: 200 when the events are handled, so that the hub need not send them again. */
export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #queue: PushQueue;
  /** Strangers must not be able to call the function of a secret as often as they like. */
  readonly #secrets = new SingleFlight<readonly string[]>();

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.#queue = new PushQueue(options.cycle, options.context.concurrency);
  }

  /** Never rejects: a failure is emitted as `error`, and the response says so. */
  async receive(request: Request): Promise<Response> {
    const { context } = this.#options;
    let eventIds: readonly string[] = [];
    let response: Response;
    try {
      const push = await this.#read(request);
      if ('events' in push) eventIds = push.events.map(({ eventId }) => context.quote(eventId, WHOLE));
      const refusal = 'events' in push ? await this.#handle(push) : push;
      if (refusal) this.#warnOnce(refusal);
      response = refusal ? refused(refusal) : new Response(null, { status: 200 });
    } catch (error) {
      this.#options.outcomes.emitError(error, 'a pushed event could not be handled; the hub sends it again');
      response = refused(notNow('the event could not be handled'));
    }
    context.observers.emit('pushed', { status: response.status, eventIds });
    return response;
  }

  async #read(request: Request): Promise<PollResult | Refusal> {
    const { clock, pushSecrets, quote, rememberMs, signingSecrets } = this.#options.context;
    const reason = this.#options.standstill();
    const refusal = refusalOf(request) ?? (reason === undefined ? undefined : notNow(reason));
    if (refusal) return refusal;
    if (request.bodyUsed) {
      throw new ConfigurationError(
        'request',
        'its body was read before; call receive before any body parser, because the signature is of the raw bytes',
      );
    }
    const body = await readBody(request, clock);
    if (!(body instanceof Uint8Array)) return body;
    const secrets = await this.#secrets.run(() => signingSecrets(pushSecrets));
    return readPush(body, request.headers, { secrets, quote, rememberMs, now: clock.now() });
  }

  async #handle({ events, issues }: PollResult): Promise<Refusal | undefined> {
    const { context, standstill, acquireLease } = this.#options;
    if (issues.length > 0) context.observers.emit('invalid', { issues });
    const before = standstill();
    if (before !== undefined) return notNow(before);
    if ((await acquireLease()) > 0) return notNow('another process has the lease of the store');
    const after = standstill();
    if (after !== undefined) return notNow(after);
    const results = await Promise.all(events.map((event) => this.#queue.handle(event)));
    if (results.includes('ended')) return notNow('the poller has stopped');
    return results.includes('failed') ? notNow('the event was not handled') : undefined;
  }

  /** The hub's operator sees the response, and nobody here would know why no event arrives. */
  #warnOnce({ status, title }: Refusal): void {
    const { logger, warnedAbout } = this.#options.context;
    if (warnedAbout.has(title)) return;
    warnedAbout.add(title);
    logger.warn(`opendelivery-client: a pushed request gets ${status}: ${title}; polls bring its event`);
  }
}
