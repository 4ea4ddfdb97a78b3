import { onAbort } from '../async/promises.js';
import { missingClient } from '../auth/request.js';
import type { HubClient } from '../client.js';
import { ClosedError } from '../errors/index.js';
import { signalOf } from '../http/call-options.js';
import type { Services } from '../services/services.js';
import { createEngine } from './create-engine.js';
import { needsPerson } from './due.js';
import type { Engine } from './engine.js';
import { healthOf, watchStores } from './health.js';
import { iterate, type PolledEvent } from './iterate.js';
import { begin, pause, resume, runOnce, schedule, waitForEnd } from './lifecycle.js';
import type { PollerListeners } from './lifecycle-events.js';
import { newSubscriptions } from './listeners.js';
import { type ResolvedPollerOptions, resolveStopTimeoutMs } from './options.js';
import { Receiver } from './push/receiver.js';
import type { CycleReport, EventContext, PollerHealth, StopReport } from './reports.js';
import { close, stop } from './stop.js';
import { isPolling, type Store } from './store.js';
import { Subscribable } from './subscribable.js';

/** A `start` that is not stopped. */
interface Started {
  /** The first good poll, or the end of polling. */
  readonly settle: (error?: unknown) => void;
  /** Ends what only polling needs. */
  readonly end: () => void;
  fatal?: unknown; // has ended it
}

/**
 * Polls for order events, passes them to listeners, and acknowledges them.
 *
 * **Resolved means acknowledged**: an event is acknowledged when the promises
 * of all its listeners have resolved, never before. If a listener throws, the
 * event stays at the hub, which sends it again; its listeners run again after `retryDelayMs`.
 * With an inbox, stored means acknowledged, and `deadLetter` listeners only observe.
 *
 * @see Spec §6.2
 */
export class EventPoller<Context extends EventContext = EventContext> extends Subscribable<
  PollerListeners<Context>,
  Context,
  StopReport
> {
  readonly #engine: Engine;
  readonly #store: Store;
  readonly #receiver: Receiver;
  /** How often it was stopped, and how often before it began; if these differ, it takes no push. */
  #stops = 0;
  #startedAfter = 0;
  /** See `startPersistently`. */
  #isPersistent = false;
  #started: Started | undefined;

  /**
   * Created by `hub.poller()`.
   *
   * @internal
   */
  constructor(services: Services, store: Store, options: ResolvedPollerOptions, hub: HubClient) {
    const subscriptions = newSubscriptions(store.account.logger, options.inbox !== undefined);
    super(subscriptions);
    this.#store = store;
    this.#engine = createEngine(services, options, subscriptions, {
      turnsInProgress: 1,
      stepMs: 0,
      keepsIdleLease: true,
      hubOf: () => hub,
      // The client is closed; or, before the first good poll, only a person can correct the error.
      onTurnFailed: ({ isStarted }, error) => {
        const endsStart = !isStarted && !this.#isPersistent && needsPerson(store, error);
        if (!(error instanceof ClosedError || endsStart)) return false;
        if (this.#started) this.#started.fatal = error;
        void this.stop();
        return true;
      },
      onFirstTurn: ({ isStarted }) => void (isStarted && this.#started?.settle()),
      onStopped: () => {
        this.#started?.end();
        this.#started?.settle(this.#started.fatal);
        this.#started = undefined;
      },
    });
    this.#receiver = new Receiver(this.#engine, store, () => this.#stops === this.#startedAfter);
  }

  /**
   * Polls until `stop`. Resolves after the first successful poll. It stays pending while the hub fails (`error` and
   * `backoff` say why) and while another poller has the store's lease (`standby`); it takes over when that lease ends.
   * It also resolves if the poller is stopped, or the client is closed, before that: ending is not an error.
   *
   * @param options - `signal`: stops the poller whenever it aborts.
   * @throws {AuthenticationError} before the first successful poll, the hub refused the credentials (400 or 401) or a
   * new token; the poller is stopped. After a 403 it keeps trying.
   * @throws the signal's reason, if it aborts before the first successful poll.
   * @throws {ConfigurationError} there is no listener for any order event, `clientId` or `clientSecret` is missing, or
   * another poller of the client runs.
   */
  async start(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    const signal = signalOf(options);
    signal?.throwIfAborted();
    const [engine, store] = [this.#engine, this.#store];
    engine.listeners.requireAny();
    const { clientId, clientSecret } = store.account;
    if (clientId === undefined || clientSecret === undefined) throw missingClient(store.account);
    const { clock, lifetime } = engine.services;
    lifetime.throwIfClosed();
    const stops = this.#stops;
    const ending = waitForEnd(engine, store, signal);
    if (ending) await ending;
    // Stopped or closed meanwhile: ending is not an error.
    if (this.#stops !== stops || store.isClosed) return;
    // A poller that is started again keeps its pace; the quota holds for all of them.
    const dueAt = store.engine === engine ? store.dueAt : 0;
    begin(engine, store, 'start');
    this.#startedAfter = stops;
    store.isPaused = false;
    const stopWatching = watchStores(
      engine,
      () => [store],
      () => store,
    );
    await new Promise<void>((resolve, reject) => {
      const release = signal && onAbort(signal, () => this.#aborted(signal.reason));
      this.#started = {
        settle: (error) => (error === undefined ? resolve() : reject(error)),
        end: () => {
          stopWatching();
          release?.();
        },
      };
      schedule(engine, store, Math.max(clock.monotonic(), dueAt));
    });
  }

  /**
   * As `start`, for a caller that goes on without it: a refusal before the first good poll is reported as `error` and
   * tried again by slow backoff, as a later one is. What no request can mend has rejected when it returns.
   *
   * @internal
   */
  startPersistently(): Promise<void> {
    this.#isPersistent = true;
    return this.start();
  }

  #aborted(reason: unknown): void {
    const { isStarted, turn } = this.#store;
    this.#started?.settle(reason);
    // Nothing was received yet, so nothing is lost with the first poll.
    if (!isStarted) turn?.controller.abort(reason);
    void this.stop();
  }

  /**
   * Stops polling, waits for a poll that was sent and for running listeners, and acknowledges what they have handled. It
   * can be called twice, before `start`, and inside a listener, for which it does not wait.
   *
   * It releases the store's lease. For listeners that run on it keeps the lease, until a `close` and for at most ten
   * minutes: no other process runs their events. If this process ends, the lease ends within `leaseMs`.
   *
   * @param options - `timeoutMs`: default 30 000; then it aborts the listeners and does not wait for them. A second
   * call returns the result of the first one; with a shorter time limit, sooner.
   * @returns counts since `start`, and the ids of the events that the hub will send again.
   */
  async stop(options?: { readonly timeoutMs?: number | undefined }): Promise<StopReport> {
    return this.#end(stop, resolveStopTimeoutMs(options));
  }

  async close(options?: { readonly timeoutMs?: number | undefined }): Promise<StopReport> {
    return this.#end(close, resolveStopTimeoutMs(options));
  }

  #end(how: typeof stop, timeoutMs: number): Promise<StopReport> {
    this.#stops += 1;
    return how(this.#engine, this.#store, timeoutMs);
  }

  /** Sends no poll until `resume` or `start`; before `start` it does nothing. Events that were already received are still handled. */
  pause(): void {
    pause(this.#engine, this.#store);
  }

  /** Polls again; at once if a poll is due. */
  resume(): void {
    resume(this.#engine, this.#store);
  }

  /**
   * Polls, handles and acknowledges once, for cron jobs, queue workers and serverless functions.
   *
   * It sends one poll and does not retry it. If the hub's limit is used up, it waits or throws, as `rateLimit` says. If
   * every run is a new process, use a persistent `state`: otherwise each costs one of the ten token requests per hour.
   * While another poller has the store's lease, no request is sent, and the report is `{ skipped: 'leased', retryAfterMs }`.
   *
   * @param options - `signal`: ends the poll; after it, no further listener is called, and those that run may finish.
   * @throws the error of the poll. Failures of listeners are in the report.
   * @throws {ConfigurationError} there is no listener for any order event, or a poller of the client runs.
   */
  async runOnce(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<CycleReport> {
    return runOnce(this.#engine, this.#store, signalOf(options), () => this.#stops);
  }

  /**
   * Answers a request with which the hub pushes events (the standard's webhook `newEvent`).
   *
   * Without `start`, as in a serverless function, it acquires the store's lease, handles the events, and releases the
   * lease before it answers. With an inbox, it then also handles what is due there, and sends the commands. After
   * `stop`, it handles nothing until `start` is called.
   *
   * The response is 200 when the listeners have resolved, as for an event of a poll. An event that comes by push and
   * by poll is handled once. Other statuses: 503 with `Retry-After` if a listener failed, if the poller is paused or
   * stopped, or if another poller has the store's lease; 401 if the signature is missing; 403 if it is wrong, or if
   * `createdAt` is missing, unreadable, older than three quarters of `rememberMs` or more than one quarter ahead (a
   * recorded push could be sent again); 400, 405, 408 or 413 if the request is unusable.
   *
   * Keep polling beside it, perhaps with a longer `intervalMs`, or with `runOnce` on a schedule: a poll brings what no
   * push has brought.
   *
   * @param request - with its body unread, because the signature covers the raw bytes. For node:http see `nodeHandler`.
   * @returns never rejects; a failure is emitted as `error`.
   */
  receive(request: Request): Promise<Response> {
    return this.#receiver.receive(request);
  }

  /** Returns what the poller is doing, without a request to the hub. */
  health(): PollerHealth {
    return healthOf(this.#engine, this.#store);
  }

  /**
   * Iterates over the events: `for await (const { event, context } of poller.events())`. It counts as a listener.
   * Finishing the body acknowledges the event; a `throw` or `break` inside it leaves it at the hub. It starts the
   * poller unless that runs, and stops it on leaving if it has started it.
   *
   * The body handles one event at a time. `listenerTimeoutMs` includes the time that an event waits for the body. To
   * stop inside the body, leave the loop or abort `signal`: `stop` would wait for the body.
   *
   * @param options - `signal`: ends the iteration.
   * @throws as `start`.
   */
  events(
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<PolledEvent<Context>, void, void> {
    const isRunning = () => isPolling(this.#engine, this.#store) && this.#store.call === 'start';
    return iterate<Context>(this, isRunning, signalOf(options));
  }
}
