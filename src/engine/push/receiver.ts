import { SingleFlight } from '../../async/promises.js';
import { ConfigurationError } from '../../errors/index.js';
import type { PollResult } from '../../events/read.js';
import { type Engine, emit, reportError } from '../engine.js';
import { storePushed } from '../inbox/store-pushed.js';
import { acquireLease } from '../lease.js';
import { shownIds } from '../settle.js';
import type { Store } from '../store.js';
import { Pushes } from './handle-push.js';
import { readBody, readPush, refusalOf } from './push-request.js';
import { notNow, type Refusal, refused } from './refusal.js';

/** Answers what the hub pushes: 200 (or what the profile says) when the events are handled, so that the hub need not send them again. */
export class Receiver {
  readonly #engine: Engine;
  readonly #store: Store;
  readonly #pushes: Pushes;
  /** Strangers must not be able to call the function of a secret as often as they like. */
  readonly #secrets = new SingleFlight<readonly string[]>();

  constructor(engine: Engine, store: Store) {
    this.#engine = engine;
    this.#store = store;
    this.#pushes = new Pushes(engine, store);
  }

  /** Never rejects: a failure is emitted as `error`, and the response says so. */
  async receive(request: Request): Promise<Response> {
    const engine = this.#engine;
    const store = this.#store;
    let eventIds: readonly string[] = [];
    let response: Response;
    try {
      const push = await this.#read(request);
      if ('events' in push) {
        eventIds = shownIds(
          store,
          push.events.map(({ eventId }) => eventId),
        );
      }
      const refusal = 'events' in push ? await this.#handle(push) : push;
      if (refusal) this.#warnOnce(refusal);
      const { accepted = 200 } = engine.services.options.profile.webhook;
      response = refusal ? refused(refusal) : new Response(null, { status: accepted });
    } catch (error) {
      reportError(engine, store, error, 'a pushed event could not be handled; the hub sends it again');
      response = refused(notNow('the event could not be handled'));
    }
    emit(engine, store, 'pushed', { status: response.status, eventIds });
    return response;
  }

  async #read(request: Request): Promise<PollResult | Refusal> {
    const { services, options } = this.#engine;
    const { account } = this.#store;
    const reason = this.#standstill();
    const { unsigned } = services.options.profile.webhook;
    const refusal = refusalOf(request, unsigned) ?? (reason === undefined ? undefined : notNow(reason));
    if (refusal) return refusal;
    if (request.bodyUsed) {
      throw new ConfigurationError(
        'request',
        'its body was read before; call receive before any body parser, because the signature is of the raw bytes',
      );
    }
    const body = await readBody(request, services.clock);
    if (!(body instanceof Uint8Array)) return body;
    const secrets = await this.#secrets.run(() => services.signingSecrets(account, options.pushSecrets));
    return readPush(body, request.headers, {
      secrets,
      quote: (text) => account.quote(text),
      rememberMs: options.rememberMs,
      now: services.clock.now(),
    });
  }

  async #handle({ events, issues }: PollResult): Promise<Refusal | undefined> {
    const engine = this.#engine;
    const store = this.#store;
    if (issues.length > 0) emit(engine, store, 'invalid', { issues });
    const before = this.#standstill();
    if (before !== undefined) return notNow(before);
    if ((await acquireLease(engine, store)) > 0) return notNow('another process has the lease of the store');
    const after = this.#standstill();
    if (after !== undefined) return notNow(after);
    if (engine.inbox)
      return (await storePushed(engine, store, events)) ? undefined : notNow('the event has no listener');
    const results = await Promise.all(events.map((event) => this.#pushes.handle(event)));
    if (results.includes('ended')) return notNow('the poller has stopped');
    return results.includes('failed') ? notNow('the event was not handled') : undefined;
  }

  /** Why nothing is handled now. */
  #standstill(): string | undefined {
    const { call, engine, stopping, isPaused } = this.#store;
    if (call !== 'start' || engine !== this.#engine || stopping) return 'the poller is not running';
    return isPaused ? 'the poller is paused' : undefined;
  }

  /** The hub's operator sees the response, and nobody here would know why no event arrives. */
  #warnOnce({ status, title }: Refusal): void {
    const { warnedAbout } = this.#engine.services;
    if (warnedAbout.has(title)) return;
    warnedAbout.add(title);
    this.#store.account.logger.warn(
      `opendelivery-client: a pushed request gets ${status}: ${title}; polls bring its event`,
    );
  }
}
