import { abandonOnAbort, linkedController, onAbort } from '../async/abort.js';
import { Observers } from '../async/observers.js';
import type { Clock } from '../clock.js';
import { ClosedError, ConfigurationError, LeaseLostError } from '../errors.js';
import type { Logger } from '../logger.js';
import type { State } from '../state/port.js';
import type { EventsClient } from './client.js';
import { runCycle } from './cycle.js';
import { Dispatcher } from './dispatcher.js';
import { Ledger } from './ledger.js';
import { type AnyListener, Listeners } from './listeners.js';
import { refuseMisspelling } from './names.js';
import { Outcomes } from './outcomes.js';
import { PollLoop } from './poll-loop.js';
import {
  type CompletedCycle,
  type CycleReport,
  type HubEventListener,
  type HubEventName,
  LIFECYCLE_NAMES,
  type LifecycleEvents,
  type PollerEventName,
  type PollerHealth,
  type PollerListener,
  type StopReport,
} from './poller-events.js';
import {
  type PollerOptions,
  requireListeners,
  resolvePollerOptions,
  resolveStopTimeoutMs,
} from './poller-options.js';
import type { PollResult } from './read.js';
import type { Runs } from './runs.js';
import type { StoreLease } from './store-lease.js';

export interface PollerParts {
  readonly clock: Clock;
  readonly state: State;
  readonly stateKey: string;
  readonly logger: Logger;
  /** Takes secrets out of a text that quotes an event. */
  readonly scrub: (text: string) => string;
  readonly events: EventsClient;
  readonly runs: Runs;
  readonly lease: StoreLease;
  readonly warnedTypes: Set<string>;
  /** Makes this the client's running poller. @throws {ConfigurationError} another one runs. */
  readonly claim: (poller: EventPoller) => void;
  readonly release: (poller: EventPoller) => void;
  /** Whether a poller of the client runs. */
  readonly isClaimed: () => boolean;
}

/** From `start` to `stop`. */
interface Session {
  readonly controller: AbortController;
  readonly release: () => void;
}

/** The governor's slots are waited for however long: this is what the poller is for. */
const PATIENCE = { quotaMs: Number.POSITIVE_INFINITY, shutMs: Number.POSITIVE_INFINITY };

/**
 * Learns of order events by polling, hands them to listeners and confirms them.
 *
 * **Resolved means acknowledged**: an event is confirmed when every listener's
 * promise has resolved, never before. One that throws leaves it at the hub,
 * which sends it again.
 *
 * @see Spec §6.2
 */
export class EventPoller {
  readonly #parts: PollerParts;
  readonly #leaseMs: number;
  readonly #listeners = new Listeners();
  readonly #observers: Observers<LifecycleEvents>;
  readonly #ledger: Ledger;
  readonly #outcomes: Outcomes;
  readonly #dispatcher: Dispatcher;
  readonly #loop: PollLoop;
  #session: Session | undefined;
  #started = false;
  #stopping: Promise<StopReport> | undefined;
  #once: AbortController | undefined;
  #lastPolledAt: number | undefined;

  /** Made by `hub.poller()`. */
  constructor(parts: PollerParts, given?: Partial<PollerOptions>) {
    const options = resolvePollerOptions(given);
    const { clock, logger, events, lease, runs } = parts;
    this.#parts = parts;
    this.#leaseMs = options.leaseMs;
    this.#observers = new Observers(logger);
    this.#ledger = new Ledger({ ...parts, rememberMs: options.rememberMs });
    this.#outcomes = new Outcomes({
      ...options,
      ...parts,
      ledger: this.#ledger,
      observers: this.#observers,
    });
    this.#dispatcher = new Dispatcher({
      ...options,
      clock,
      listeners: this.#listeners,
      ledger: this.#ledger,
      outcomes: this.#outcomes,
      runs,
      lease,
    });
    this.#loop = new PollLoop({
      clock,
      intervalMs: options.intervalMs,
      acquire: () => this.#acquireLease(),
      onStandby: (retryAfterMs) => this.#observers.emit('standby', { retryAfterMs }),
      cycle: (signal, onSend, succeeded) =>
        this.#cycle(
          signal,
          (sent) =>
            events.poll({
              signal,
              onSend: () => {
                sent();
                onSend();
              },
              attempts: 1,
              patience: PATIENCE,
              lease,
            }),
          succeeded,
        ),
      onBackoff: (error, delayMs, failures) => {
        this.#observers.emit('backoff', { error, delayMs, failures });
        this.#outcomes.tell(error);
      },
      onRecovered: (failures) => this.#observers.emit('recovered', { failures }),
    });
  }

  /**
   * Adds a listener. Those of event types, of `event` and of `deadLetter` are
   * awaited and decide over the event; those of lifecycle names only watch.
   *
   * A hub's own event type is passed as a string: `on('REFUNDED' as string, …)`.
   *
   * @throws {ConfigurationError} the name is a misspelled one, or not upper case.
   */
  on<Name extends PollerEventName>(name: Name, listener: PollerListener<Name>): this;
  on<Name extends string>(name: HubEventName<Name>, listener: HubEventListener): this;
  on(name: string, listener: AnyListener): this {
    return this.#add(name, listener, false);
  }

  /** As `on`, until it has resolved once. */
  once<Name extends PollerEventName>(name: Name, listener: PollerListener<Name>): this;
  once<Name extends string>(name: HubEventName<Name>, listener: HubEventListener): this;
  once(name: string, listener: AnyListener): this {
    return this.#add(name, listener, true);
  }

  /** Removes a listener; an event it failed on stays at the hub until another one handles it. */
  off<Name extends PollerEventName>(name: Name, listener: PollerListener<Name>): this;
  off<Name extends string>(name: HubEventName<Name>, listener: HubEventListener): this;
  off(name: string, listener: AnyListener): this {
    refuseMisspelling(name);
    if (LIFECYCLE_NAMES.has(name)) this.#observers.off(name as 'error', listener as () => unknown);
    else this.#listeners.remove(name, listener);
    return this;
  }

  /**
   * Polls until `stop`. Resolves after the first good poll; while the hub fails
   * it stays pending, and `error` and `backoff` say why. It stays pending too
   * while another poller has the store's lease (`standby`), and takes over when
   * that ends. Only refused credentials reject, and being stopped.
   *
   * @param options - `signal`: stops the poller whenever it aborts.
   * @throws {AuthenticationError} the token, or a fresh one at the poll, was refused; the poller is stopped again.
   * @throws {ClosedError} it was stopped before its first good poll.
   * @throws {ConfigurationError} no listener for any order event, or another poller of the client runs.
   */
  async start({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    signal?.throwIfAborted();
    if (this.#session || this.#once) throw new ConfigurationError('start', 'the poller runs already');
    requireListeners(this.#listeners.hasAny());
    this.#parts.claim(this);
    const controller = new AbortController();
    const stopBySignal = () => {
      controller.abort(signal?.reason);
      void this.stop();
    };
    const release = signal ? onAbort(signal, stopBySignal) : () => {};
    this.#session = { controller, release };
    this.#loop.resume();
    this.#begin();
    await new Promise<void>((resolve, reject) => {
      const onFirst = () => {
        this.#started = true;
        this.#observers.emit('started', { at: this.#parts.clock.now() });
        resolve();
      };
      this.#loop.run(controller.signal, onFirst).then(
        () => reject(controller.signal.reason),
        async (error: unknown) => {
          await this.stop();
          reject(error);
        },
      );
    });
  }

  /**
   * Stops polling, waits for the listeners under way, confirms what they have
   * handled. Resolves from anywhere: twice, before start, and inside a
   * listener, where it waits for all but that one.
   *
   * @param options.timeoutMs - default 30 000; then listeners are aborted and left. A second call shares the first.
   */
  stop(options?: { readonly timeoutMs?: number }): Promise<StopReport> {
    let timeoutMs: number;
    try {
      timeoutMs = resolveStopTimeoutMs(options);
    } catch (error) {
      return Promise.reject(error);
    }
    this.#dispatcher.excuseCaller();
    this.#stopping ??= this.#stop(timeoutMs).finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  /** No poll begins until `resume`; what is under way goes on. */
  pause(): void {
    this.#loop.pause();
  }

  /** Polls again, at once where a poll is due. */
  resume(): void {
    this.#loop.resume();
  }

  /**
   * One poll → handle → acknowledge, for cron, queues and Lambda.
   *
   * The poll is sent once; its slot is waited for as `rateLimit` says, and the
   * token is got as always. A fresh process each time needs a `state` that
   * survives, or every run costs one of the hub's ten tokens an hour.
   *
   * While another poller has the store's lease, nothing is sent to the hub:
   * the report is `{ skipped: 'leased', retryAfterMs }`.
   *
   * @throws what the poll throws. A listener's failure is in the report.
   */
  async runOnce({ signal }: { readonly signal?: AbortSignal } = {}): Promise<CycleReport> {
    signal?.throwIfAborted();
    if (this.#session || this.#once) throw new ConfigurationError('runOnce', 'the poller runs already');
    requireListeners(this.#listeners.hasAny());
    this.#parts.claim(this);
    const { controller, release } = linkedController(signal);
    this.#once = controller;
    this.#begin();
    try {
      const { signal: ended } = controller;
      const { events, lease } = this.#parts;
      const retryAfterMs = await abandonOnAbort(this.#acquireLease(), ended);
      if (retryAfterMs > 0) return { skipped: 'leased', retryAfterMs: Math.ceil(retryAfterMs) };
      return await this.#cycle(ended, (sent) =>
        events.poll({ signal: ended, onSend: sent, attempts: 1, lease }),
      );
    } catch (error) {
      // Lost before the poll was sent: only the slot, which comes with the lease, was asked for.
      if (!(error instanceof LeaseLostError)) throw error;
      return { skipped: 'leased', retryAfterMs: Math.max(1, Math.ceil(error.retryAfterMs)) };
    } finally {
      release();
      await this.#drain();
      await this.#releaseLease(false);
      this.#once = undefined;
      this.#parts.release(this);
    }
  }

  /** `await using poller = hub.poller()` stops it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** What the poller is doing, without asking anyone. */
  health(): PollerHealth {
    const { clock } = this.#parts;
    const polls = this.#session && !this.#stopping && !this.#loop.isOnStandby && !this.#loop.paused;
    return {
      status: this.#status(),
      lastPolledAt: this.#lastPolledAt,
      nextPollAt: polls ? Math.ceil(clock.now() + this.#loop.dueInMs) : undefined,
      consecutiveFailures: this.#loop.failures,
      lastError: this.#loop.lastError,
      running: this.#parts.runs.size,
      unacknowledged: this.#ledger.unconfirmed().length,
      handled: this.#outcomes.counts.handled,
      acknowledged: this.#outcomes.counts.acknowledged,
    };
  }

  #status(): PollerHealth['status'] {
    if (!this.#session) return this.#once ? 'running' : 'idle';
    if (this.#stopping) return 'stopping';
    if (this.#loop.isOnStandby) return 'standby';
    if (!this.#started) return 'starting';
    return this.#loop.paused ? 'paused' : 'running';
  }

  #add(name: string, listener: AnyListener, once: boolean): this {
    if (typeof listener !== 'function') throw new ConfigurationError('listener', 'must be a function');
    refuseMisspelling(name);
    if (!LIFECYCLE_NAMES.has(name)) this.#listeners.add(name, listener, once);
    else if (once) this.#observers.once(name as 'error', listener as () => unknown);
    else this.#observers.on(name as 'error', listener as () => unknown);
    return this;
  }

  #begin(): void {
    this.#outcomes.begin();
    this.#started = false;
  }

  #acquireLease(): Promise<number> {
    return this.#parts.lease.acquire(this.#leaseMs, (error) => this.#leaseLost(error));
  }

  /** Another poller may run the same events now: nothing more is dispatched; what is handled is still acknowledged. */
  #leaseLost(error: LeaseLostError): void {
    this.#dispatcher.stop();
    this.#dispatcher.abortAll(error);
    this.#loop.leaseLost();
    this.#outcomes.tell(error);
  }

  /**
   * At once, or when the client's runs that were left behind have settled:
   * until then nobody else may run their events.
   */
  async #releaseLease(atOnce: boolean): Promise<void> {
    const { lease, runs, isClaimed } = this.#parts;
    const left = atOnce ? [] : runs.owned();
    if (left.length === 0) return lease.release();
    void Promise.all(left.map(({ settled }) => settled)).then(() => {
      if (!isClaimed() && runs.owned().length === 0) return lease.release();
    });
  }

  async #cycle(
    signal: AbortSignal,
    poll: (sent: () => void) => Promise<PollResult>,
    succeeded?: () => void,
  ): Promise<CompletedCycle> {
    const { clock, lease, runs } = this.#parts;
    const startedAt = clock.monotonic();
    let term = this.#dispatcher.term;
    const sent = () => {
      term = this.#dispatcher.term;
    };
    return runCycle({
      signal,
      poll: () => poll(sent),
      term: () => term,
      onPolled: ({ events, issues }) => {
        // Not before: the poll's slot renews the lease.
        lease.busy(true);
        this.#lastPolledAt = Math.floor(clock.now());
        const durationMs = clock.monotonic() - startedAt;
        succeeded?.();
        this.#observers.emit('polled', { received: events.length, issues, durationMs });
        if (issues.length > 0) this.#observers.emit('invalid', { issues });
      },
      ledger: this.#ledger,
      dispatcher: this.#dispatcher,
      outcomes: this.#outcomes,
    }).finally(() => lease.busy(runs.size > 0));
  }

  /** Nothing that is handled stays in this memory alone, as far as hub and state can be reached. */
  async #drain(): Promise<void> {
    await Promise.all([this.#outcomes.acknowledger.drain(), this.#ledger.flush()]);
  }

  async #stop(timeoutMs: number): Promise<StopReport> {
    const { clock } = this.#parts;
    const { acknowledger } = this.#outcomes;
    const session = this.#session;
    const stopped = new ClosedError('the poller is stopped');
    session?.controller.abort(stopped);
    session?.release();
    this.#once?.abort(stopped);
    this.#dispatcher.stop();
    const drained = this.#dispatcher.settled().then(() => this.#drain());
    const timer = new AbortController();
    const timeout = clock.sleep(timeoutMs, timer.signal).then(
      () => true,
      () => false,
    );
    const timedOut = await Promise.race([drained.then(() => false), timeout]);
    timer.abort('over');
    if (timedOut) {
      this.#dispatcher.abortAll(stopped);
      acknowledger.abort(stopped);
      this.#parts.runs.disown(this.#dispatcher);
      await this.#drain();
    }
    // Another poller of the client may run by now, and has the lease.
    if (session || this.#once || !this.#parts.isClaimed()) await this.#releaseLease(timedOut);
    const report = this.#outcomes.report(timedOut);
    if (session) {
      this.#session = undefined;
      this.#parts.release(this);
      this.#observers.emit('stopped', report);
    }
    return report;
  }
}
