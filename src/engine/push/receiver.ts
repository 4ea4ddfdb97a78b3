import { ConfigurationError, PushRefusedError } from '../../errors/index.js';
import { PushVerifier } from '../../events/push/verify.js';
import type { PollResult } from '../../events/read.js';
import { type Engine, emit, reportError } from '../engine.js';
import { storePushed } from '../inbox/store-events.js';
import { prepareInbox } from '../inbox/watch.js';
import { finishWork, isEnding } from '../inbox/work.js';
import { acquireLease } from '../lease.js';
import { begin } from '../lifecycle.js';
import { shownId } from '../report-events.js';
import { flushAll, release } from '../stop.js';
import { noteEnd, type Store } from '../store.js';
import { Pushes } from './handle-push.js';

/** Answers what the hub pushes: 200 (or what the profile says) when the events are handled, so that the hub need not send them again. */
export class Receiver {
  readonly #engine: Engine;
  readonly #store: Store;
  readonly #mayBegin: () => boolean;
  readonly #pushes: Pushes;
  readonly #verifier: PushVerifier;

  /** @param mayBegin - whether a push is handled also if nobody polls the store. */
  constructor(engine: Engine, store: Store, mayBegin: () => boolean) {
    this.#engine = engine;
    this.#store = store;
    this.#mayBegin = mayBegin;
    this.#pushes = new Pushes(engine, store);
    const { services, options } = engine;
    this.#verifier = new PushVerifier({
      services,
      store,
      secrets: options.pushSecrets,
      option: 'pushSecrets',
    });
  }

  /** Never rejects: a failure is emitted as `error`, and the response says so. */
  async receive(request: Request): Promise<Response> {
    const engine = this.#engine;
    const store = this.#store;
    let eventIds: readonly string[] = [];
    const { accepted = 200 } = engine.services.options.profile.webhook;
    let response = new Response(null, { status: accepted });
    try {
      this.#throwIfAtRest();
      const push = await this.#verifier.verify(request, engine.options.rememberMs);
      eventIds = push.events.map(({ eventId }) => shownId(store, eventId));
      if (push.issues.length > 0) emit(engine, store, 'invalid', { issues: push.issues });
      while (store.releasing) await store.releasing;
      this.#throwIfAtRest();
      await inPushSession(engine, store, () => this.#handle(push));
    } catch (error) {
      response = refused(this.#refusalOf(error));
    }
    emit(engine, store, 'pushed', { status: response.status, eventIds });
    return response;
  }

  async #handle({ events }: PollResult): Promise<void> {
    const engine = this.#engine;
    const store = this.#store;
    if ((await acquireLease(engine, store)) > 0) throw notNow('another process has the lease of the store');
    this.#throwIfAtRest();
    if (engine.inbox) {
      if (store.call !== 'start') await prepareInbox(engine, store);
      const isStored = await storePushed(engine, store, events);
      // Without `start`, nobody handles it later: a serverless function is suspended after its response.
      if (store.call !== 'start') await finishWork(engine, store);
      if (isEnding(store)) throw notNow('the run is ending');
      if (!isStored) throw notNow('the event has no listener');
      return;
    }
    const results = await Promise.all(events.map((event) => this.#pushes.handle(event)));
    if (results.includes('ended')) throw notNow('the poller has stopped');
    if (results.includes('failed')) throw notNow('the event was not handled');
  }

  /** @throws {PushRefusedError} nothing is handled now. */
  #throwIfAtRest(): void {
    const { call, engine, stopping, isPaused, isClosed } = this.#store;
    const isOthers = call !== undefined && engine !== this.#engine;
    if (stopping || isClosed || isOthers || !(call === 'start' || this.#mayBegin())) {
      throw notNow('the poller is not running');
    }
    if (call === 'start' && isPaused) throw notNow('the poller is paused');
  }

  /** Refusals are logged once; what the application has to correct is emitted as `error`, like every failure. */
  #refusalOf(error: unknown): PushRefusedError {
    const isRefusal = error instanceof PushRefusedError;
    if (!isRefusal || error.cause instanceof ConfigurationError) {
      const message = 'a pushed event could not be handled; the hub sends it again';
      reportError(this.#engine, this.#store, error, message);
    } else {
      // The hub's operator sees the response, and nobody here would know why no event arrives.
      const { status, message } = error;
      const warning = `a pushed request gets ${status}: ${message}; polls bring its event`;
      this.#engine.services.warnOnce(this.#store.account, message, warning);
    }
    return isRefusal ? error : notNow('the event could not be handled');
  }
}

/**
 * Pushes that are handled together. If nobody polls the store, the first one begins a session of its own, as `runOnce`
 * does. Those that come meanwhile share its lease, and the last one releases it. A `start` or `runOnce` that comes
 * meanwhile takes the session over.
 *
 * @throws {ConfigurationError} there is no listener for any order event.
 */
export async function inPushSession(
  engine: Engine,
  store: Store,
  handle: () => Promise<void>,
): Promise<void> {
  if (!store.call) {
    engine.listeners.requireAny();
    begin(engine, store, 'receive');
  }
  store.receiving += 1;
  try {
    await handle();
  } finally {
    if (store.call === 'receive' && store.receiving === 1) await flushAll(engine, store);
    store.receiving -= 1;
    if (store.call === 'receive' && store.receiving === 0) await release(engine, store);
    noteEnd(store);
  }
}

/** The hub should send it again later. */
export const notNow = (why: string) => new PushRefusedError(503, why);

const HEADERS: { readonly [Status in PushRefusedError['status']]?: Readonly<Record<string, string>> } = {
  405: { allow: 'POST' },
  503: { 'retry-after': '30' },
};

/** The error body of the standard. */
export function refused({ status, message }: PushRefusedError): Response {
  return new Response(JSON.stringify({ title: message, status }), {
    status,
    headers: { 'content-type': 'application/problem+json', ...HEADERS[status] },
  });
}
