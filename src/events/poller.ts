import type { HubClient } from '../client.js';
import type { AnyListener } from './listeners.js';
import { Pace } from './pace.js';
import { LONE_POLLER, PollLoop } from './poll-loop.js';
import { type ClientParts, pollerContext } from './poller-context.js';
import type {
  CycleReport,
  HubEventListener,
  HubEventName,
  PollerEventName,
  PollerHealth,
  PollerListener,
  StopReport,
} from './poller-events.js';
import { type PollerOptions, resolvePollerOptions, resolveStopTimeoutMs } from './poller-options.js';
import { StorePoller } from './store-poller.js';
import { Subscriptions } from './subscriptions.js';

/**
 * Polls for order events, passes them to listeners, and acknowledges them.
 *
 * **Resolved means acknowledged**: an event is acknowledged when the promises
 * of all its listeners have resolved, never before. If a listener throws, the
 * event stays at the hub, which sends it again.
 *
 * @see Spec §6.2
 */
export class EventPoller {
  readonly #subscriptions: Subscriptions;
  readonly #poller: StorePoller;
  readonly #loop: PollLoop;

  /**
   * Created by `hub.poller()`.
   *
   * @internal
   */
  constructor(parts: ClientParts, given: Partial<PollerOptions> | undefined, hub: HubClient) {
    const options = resolvePollerOptions(given, parts.minIntervalMs);
    this.#subscriptions = new Subscriptions(parts.logger);
    const { listeners, observers } = this.#subscriptions;
    const own = { observers, listeners, pace: new Pace(), hub: () => hub };
    this.#poller = new StorePoller(pollerContext(parts, options, own), {
      policy: LONE_POLLER,
      owner: this,
      onLeaseLost: () => this.#loop.wake(),
    });
    this.#loop = new PollLoop(this.#poller);
  }

  /**
   * Adds a listener. Listeners of event types, of `event` and of `deadLetter`
   * are awaited, and decide whether the event is acknowledged. Those of
   * lifecycle names only observe.
   *
   * Pass a hub's own event type as a string: `on('REFUNDED' as string, …)`.
   *
   * @throws {ConfigurationError} the name is misspelled, or not upper case.
   */
  on<Name extends PollerEventName>(name: Name, listener: PollerListener<Name>): this;
  on<Name extends string>(name: HubEventName<Name>, listener: HubEventListener): this;
  on(name: string, listener: AnyListener): this {
    this.#subscriptions.add(name, listener, false);
    return this;
  }

  /** Like `on`, but the listener is removed after it has resolved once. */
  once<Name extends PollerEventName>(name: Name, listener: PollerListener<Name>): this;
  once<Name extends string>(name: HubEventName<Name>, listener: HubEventListener): this;
  once(name: string, listener: AnyListener): this {
    this.#subscriptions.add(name, listener, true);
    return this;
  }

  /** Removes a listener. If it failed for an event, the event stays at the hub until another listener handles it. */
  off<Name extends PollerEventName>(name: Name, listener: PollerListener<Name>): this;
  off<Name extends string>(name: HubEventName<Name>, listener: HubEventListener): this;
  off(name: string, listener: AnyListener): this {
    this.#subscriptions.remove(name, listener);
    return this;
  }

  /**
   * Polls until `stop`. Resolves after the first successful poll. It stays pending
   * while the hub fails (`error` and `backoff` say why) and while another poller
   * has the store's lease (`standby`); it takes over when that lease ends.
   *
   * @param options - `signal`: stops the poller whenever it aborts.
   * @throws {AuthenticationError} before the first successful poll, the hub refused the credentials or a new token;
   * the poller is stopped.
   * @throws {ClosedError} the poller was stopped before its first successful poll.
   * @throws {ConfigurationError} there is no listener for any order event, or another poller of the client runs.
   */
  async start({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    signal?.throwIfAborted();
    this.#subscriptions.listeners.requireAny();
    const ended = this.#poller.session.begin('start', signal, () => void this.stop());
    this.#loop.resume();
    await new Promise<void>((resolve, reject) => {
      this.#loop.run(ended, resolve).then(
        () => reject(ended.reason),
        async (error: unknown) => {
          await this.stop();
          reject(error);
        },
      );
    });
  }

  /**
   * Stops polling, waits for the listeners that are running, and acknowledges
   * the events they have handled. It can be called twice, before `start`, and
   * inside a listener; then it does not wait for that listener.
   *
   * @param options - `timeoutMs`: default 30 000; then it aborts the listeners and does not wait for them. A second call returns the result of the first one; with a shorter time limit, sooner.
   */
  async stop(options?: { readonly timeoutMs?: number }): Promise<StopReport> {
    return this.#poller.session.stop(resolveStopTimeoutMs(options));
  }

  /** Sends no poll until `resume`. Events that were already received are still handled. */
  pause(): void {
    this.#loop.pause();
  }

  /** Polls again; at once if a poll is due. */
  resume(): void {
    this.#loop.resume();
  }

  /**
   * Polls, handles and acknowledges once, for cron jobs, queue workers and serverless functions.
   *
   * It sends one poll and does not retry it. If the hub's limit is used up, it
   * waits or throws, as the option `rateLimit` says. If every run is a new
   * process, use a persistent `state`: otherwise each run costs one of the ten
   * token requests per hour.
   *
   * While another poller has the store's lease, no request is sent to the hub,
   * and the report is `{ skipped: 'leased', retryAfterMs }`.
   *
   * @throws the error of the poll. Failures of listeners are in the report.
   */
  runOnce(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<CycleReport> {
    return this.#poller.runOnce(options.signal);
  }

  /**
   * Answers a request with which the hub pushes events (the standard's webhook `newEvent`), while the poller runs.
   *
   * The response is 200 when the listeners have resolved, as for an event of a poll. An event that comes by push and
   * by poll is handled once. Other statuses: 503 with `Retry-After` if a listener failed, or if the poller does not run
   * or does not have the store's lease; 403 if the signature is wrong, or if `createdAt` is missing, unreadable, older
   * than three quarters of `rememberMs` or more than one quarter ahead (a recorded push could be sent again); 400, 405,
   * 408 or 413 if the request is unusable.
   *
   * Keep polling beside it, perhaps with a longer `intervalMs`: a poll brings what no push has brought.
   *
   * @param request - with its body unread, because the signature covers the raw bytes. For node:http see `nodeHandler`.
   * @returns never rejects; a failure is emitted as `error`.
   */
  receive(request: Request): Promise<Response> {
    return this.#poller.receive(request, () => this.#loop.isPaused);
  }

  /** Stops the poller at the end of a block: `await using poller = hub.poller()`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Returns what the poller is doing, without a request to the hub. */
  health(): PollerHealth {
    const { clock, pace } = this.#poller.context;
    const { session } = this.#poller;
    const isPolling = session.call === 'start' && !session.isStopping;
    const isDue = isPolling && !pace.isOnStandby && !this.#loop.isPaused;
    return {
      status: this.#status(),
      nextPollAt: isDue ? Math.ceil(clock.now() + this.#loop.dueInMs) : undefined,
      overdueMs: isPolling ? this.#loop.overdueMs : 0,
      ...this.#poller.health(),
    };
  }

  #status(): PollerHealth['status'] {
    const { session, context } = this.#poller;
    if (!session.call) return 'idle';
    if (session.call === 'runOnce') return 'running';
    if (session.isStopping) return 'stopping';
    if (context.pace.isOnStandby) return 'standby';
    if (!context.pace.isStarted) return 'starting';
    return this.#loop.isPaused ? 'paused' : 'running';
  }
}
