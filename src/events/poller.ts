import { abandonOnAbort, linkedController } from '../abort.js';
import type { Clock } from '../clock.js';
import { AuthenticationError, ClosedError, ConfigurationError } from '../errors.js';
import type { Logger } from '../logger.js';
import { Observers } from '../observers.js';
import type { OrderEvent } from '../schemas/event.js';
import type { State } from '../state/port.js';
import { Acknowledger } from './acknowledger.js';
import type { EventsClient } from './client.js';
import { type CycleCounts, runCycle } from './cycle.js';
import { Dispatcher } from './dispatcher.js';
import { Ledger } from './ledger.js';
import { type AnyListener, Listeners } from './listeners.js';
import {
  type CycleReport,
  LIFECYCLE_NAMES,
  type LifecycleEvents,
  type PollerEventName,
  type PollerListener,
  type StopReport,
} from './poller-events.js';
import {
  type PollerOptions,
  requireListeners,
  resolvePollerOptions,
  resolveStopTimeoutMs,
} from './poller-options.js';
import { backoffAfter, untilDue } from './schedule.js';

export interface PollerParts {
  readonly clock: Clock;
  readonly state: State;
  readonly stateKey: string;
  readonly logger: Logger;
  readonly events: EventsClient;
  /** Makes this the client's running poller. @throws {ConfigurationError} another one runs. */
  readonly claim: (poller: EventPoller) => void;
  readonly release: (poller: EventPoller) => void;
}

/** What a poller is doing; instants in epoch ms. */
export interface PollerHealth {
  readonly status: 'idle' | 'starting' | 'running' | 'paused' | 'stopping';
  readonly lastPolledAt: number | undefined;
  readonly nextPollAt: number | undefined;
  readonly consecutiveFailures: number;
  readonly lastError: unknown;
  /** Events in the hands of listeners. */
  readonly running: number;
  /** Events received and not confirmed. */
  readonly unacknowledged: number;
  readonly handled: number;
  readonly acknowledged: number;
}

/** From `start` to `stop`. */
interface Session {
  readonly controller: AbortController;
  readonly release: () => void;
  stopping: Promise<StopReport> | undefined;
  wake: AbortController | undefined;
}

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
  readonly #options: PollerOptions;
  readonly #listeners = new Listeners();
  readonly #observers: Observers<LifecycleEvents>;
  readonly #ledger: Ledger;
  readonly #dispatcher: Dispatcher;
  readonly #exhausted = new Set<string>();
  #acknowledger: Acknowledger;
  #counts: CycleCounts = { handled: 0, unhandled: 0, acknowledged: 0 };
  #session: Session | undefined;
  #started = false;
  #once = false;
  #resumed: Promise<void> | undefined;
  #resume: (() => void) | undefined;
  #failures = 0;
  #lastError: unknown;
  #lastPolledAt: number | undefined;
  #lastStartedMonotonic: number | undefined;
  #pauseMs = 0;

  /** Made by `hub.poller()`. */
  constructor(parts: PollerParts, options?: Partial<PollerOptions>) {
    this.#parts = parts;
    this.#options = resolvePollerOptions(options);
    const { clock, state, stateKey, logger } = parts;
    const { rememberMs } = this.#options;
    this.#observers = new Observers(logger);
    this.#ledger = new Ledger({ clock, state, stateKey, rememberMs });
    this.#acknowledger = this.#newAcknowledger();
    this.#dispatcher = new Dispatcher({
      ...this.#options,
      clock,
      listeners: this.#listeners,
      ledger: this.#ledger,
      onHandled: (event) => this.#handled(event),
      onFailed: (event, error, attempt) => this.#failed(event, error, attempt),
      onUnhandled: (event) => this.#unhandled(event),
      onExhausted: (event) => this.#gaveUp(event),
    });
  }

  /**
   * Adds a listener. Those of event types, of `event` and of `deadLetter` are
   * awaited and decide over the event; those of lifecycle names only watch.
   */
  on<Name extends PollerEventName>(name: Name, listener: PollerListener<Name>): this {
    return this.#add(name, listener as AnyListener, false);
  }

  /** As `on`, until it has resolved once. */
  once<Name extends PollerEventName>(name: Name, listener: PollerListener<Name>): this {
    return this.#add(name, listener as AnyListener, true);
  }

  off<Name extends PollerEventName>(name: Name, listener: PollerListener<Name>): this {
    if (LIFECYCLE_NAMES.has(name)) this.#observers.off(name as 'error', listener as () => unknown);
    else this.#listeners.remove(name, listener as AnyListener);
    return this;
  }

  /**
   * Polls until `stop`. Resolves after the first good poll; a failing hub is
   * tried on and on.
   *
   * @param options.signal - stops the poller whenever it aborts.
   * @throws {AuthenticationError} the token, or a fresh one at the poll, was refused; the poller is stopped again.
   * @throws {ConfigurationError} no listener for any order event, or another poller of the client runs.
   */
  async start({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    signal?.throwIfAborted();
    if (this.#session) throw new ConfigurationError('start', 'the poller runs already');
    requireListeners(this.#listeners.hasAny());
    this.#parts.claim(this);
    const { controller, release } = linkedController(signal);
    const session: Session = { controller, release, stopping: undefined, wake: undefined };
    this.#session = session;
    this.#begin();
    const ended = () => void this.stop().catch(() => {});
    controller.signal.addEventListener('abort', ended, { once: true });
    await new Promise<void>((resolve, reject) => {
      void this.#loop(session, resolve).then(
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
   */
  stop(options?: { readonly timeoutMs?: number }): Promise<StopReport> {
    let timeoutMs: number;
    try {
      timeoutMs = resolveStopTimeoutMs(options);
    } catch (error) {
      return Promise.reject(error);
    }
    const session = this.#session;
    if (!session) return Promise.resolve(this.#report(false));
    session.stopping ??= this.#stop(session, timeoutMs);
    return session.stopping;
  }

  /** No poll begins until `resume`; what is under way goes on. */
  pause(): void {
    if (this.#resumed) return;
    this.#resumed = new Promise((resolve) => {
      this.#resume = resolve;
    });
    this.#session?.wake?.abort();
  }

  resume(): void {
    this.#resume?.();
    this.#resumed = undefined;
    this.#resume = undefined;
  }

  /**
   * One poll → handle → acknowledge, for cron, queues and Lambda.
   *
   * @throws what the poll throws; nothing is retried here.
   */
  async runOnce({ signal }: { readonly signal?: AbortSignal } = {}): Promise<CycleReport> {
    signal?.throwIfAborted();
    if (this.#session || this.#once) throw new ConfigurationError('runOnce', 'the poller runs already');
    requireListeners(this.#listeners.hasAny());
    this.#parts.claim(this);
    this.#once = true;
    this.#begin();
    try {
      return await this.#cycle(() => this.#parts.events.poll({ signal, attempts: 1 }));
    } finally {
      this.#once = false;
      this.#acknowledger.stopLingering();
      this.#parts.release(this);
    }
  }

  health(): PollerHealth {
    const { clock } = this.#parts;
    const due = untilDue(clock.monotonic(), this.#lastStartedMonotonic, this.#pauseMs);
    return {
      status: this.#status(),
      lastPolledAt: this.#lastPolledAt,
      nextPollAt: this.#session && !this.#session.stopping ? clock.now() + due : undefined,
      consecutiveFailures: this.#failures,
      lastError: this.#lastError,
      running: this.#dispatcher.runningCount,
      unacknowledged: this.#ledger.unconfirmed().length,
      handled: this.#counts.handled,
      acknowledged: this.#counts.acknowledged,
    };
  }

  #status(): PollerHealth['status'] {
    if (!this.#session) return this.#once ? 'running' : 'idle';
    if (this.#session.stopping) return 'stopping';
    if (!this.#started) return 'starting';
    return this.#resumed ? 'paused' : 'running';
  }

  #add(name: string, listener: AnyListener, once: boolean): this {
    if (typeof listener !== 'function') throw new ConfigurationError('listener', 'must be a function');
    if (!LIFECYCLE_NAMES.has(name)) this.#listeners.add(name, listener, once);
    else if (once) this.#observers.once(name as 'error', listener as () => unknown);
    else this.#observers.on(name as 'error', listener as () => unknown);
    return this;
  }

  #begin(): void {
    this.#counts = { handled: 0, unhandled: 0, acknowledged: 0 };
    this.#acknowledger = this.#newAcknowledger();
    this.#dispatcher.resume();
    this.#started = false;
    this.#failures = 0;
    this.#lastError = undefined;
  }

  /** @throws what waiting cannot mend. */
  async #loop(session: Session, onFirst: () => void): Promise<void> {
    const { signal } = session.controller;
    const { events, clock } = this.#parts;
    // The governor's slots are waited for however long: this is what the poller is for.
    const patience = { quotaMs: Number.POSITIVE_INFINITY, shutMs: Number.POSITIVE_INFINITY };
    while (!signal.aborted) {
      await this.#untilDue(session);
      if (signal.aborted) return;
      this.#lastStartedMonotonic = clock.monotonic();
      try {
        await this.#cycle(async () => {
          const result = await events.poll({ signal, attempts: 1, patience });
          this.#recovered();
          if (!this.#started) {
            this.#started = true;
            this.#observers.emit('started', { at: clock.now() });
            onFirst();
          }
          return result;
        });
      } catch (error) {
        if (signal.aborted) return;
        if (isFatal(error, this.#started)) throw error;
        this.#backOff(error);
      }
    }
  }

  async #cycle(poll: () => ReturnType<EventsClient['poll']>): Promise<CycleReport> {
    const { clock } = this.#parts;
    const startedAt = clock.monotonic();
    return runCycle({
      poll,
      onPolled: ({ events, issues }) => {
        this.#lastPolledAt = clock.now();
        const durationMs = clock.monotonic() - startedAt;
        this.#observers.emit('polled', { received: events.length, issues, durationMs });
        if (issues.length > 0) this.#observers.emit('invalid', { issues });
      },
      ledger: this.#ledger,
      dispatcher: this.#dispatcher,
      acknowledger: this.#acknowledger,
      counts: this.#counts,
    });
  }

  async #untilDue(session: Session): Promise<void> {
    const { clock } = this.#parts;
    const { signal } = session.controller;
    while (!signal.aborted) {
      if (this.#resumed) {
        await abandonOnAbort(this.#resumed, signal).catch(() => {});
        continue;
      }
      const waitMs = untilDue(clock.monotonic(), this.#lastStartedMonotonic, this.#pauseMs);
      if (waitMs <= 0) return;
      const { controller, release } = linkedController(signal);
      session.wake = controller;
      await clock.sleep(waitMs, controller.signal).catch(() => {});
      session.wake = undefined;
      release();
    }
  }

  #recovered(): void {
    const failures = this.#failures;
    this.#failures = 0;
    this.#lastError = undefined;
    this.#pauseMs = this.#options.intervalMs;
    if (failures > 0) this.#observers.emit('recovered', { failures });
  }

  #backOff(error: unknown): void {
    this.#failures += 1;
    this.#lastError = error;
    this.#pauseMs = backoffAfter(error, this.#failures, this.#options.intervalMs);
    this.#observers.emit('backoff', { error, delayMs: this.#pauseMs, failures: this.#failures });
    this.#tell(error);
  }

  async #stop(session: Session, timeoutMs: number): Promise<StopReport> {
    const { clock } = this.#parts;
    const stopped = new ClosedError('the poller is stopped');
    if (!session.controller.signal.aborted) session.controller.abort(stopped);
    session.release();
    this.#dispatcher.stop();
    const acknowledger = this.#acknowledger;
    const timer = new AbortController();
    const drained = this.#dispatcher.settled().then(() => {
      acknowledger.stopLingering();
      return acknowledger.flush();
    });
    const timedOut = await Promise.race([
      drained.then(() => false),
      clock.sleep(timeoutMs, timer.signal).then(
        () => true,
        () => false,
      ),
    ]);
    timer.abort();
    acknowledger.stopLingering();
    if (timedOut) {
      this.#dispatcher.abortAll(stopped);
      acknowledger.abandon(stopped);
      await acknowledger.flush();
    }
    this.#session = undefined;
    this.#parts.release(this);
    const report = this.#report(timedOut);
    this.#observers.emit('stopped', report);
    return report;
  }

  #report(timedOut: boolean): StopReport {
    const { handled, acknowledged } = this.#counts;
    return { handled, acknowledged, unacknowledged: this.#ledger.unconfirmed(), timedOut };
  }

  #newAcknowledger(): Acknowledger {
    const { clock, events } = this.#parts;
    return new Acknowledger({
      clock,
      send: (batch, signal) => events.acknowledge(batch, { signal }),
      onAcknowledged: (eventIds) => {
        this.#ledger.confirmed(eventIds);
        this.#counts.acknowledged += eventIds.length;
        this.#observers.emit('acknowledged', { eventIds });
      },
      onFailed: (eventIds, error) => {
        this.#observers.emit('acknowledgeFailed', { eventIds, error });
        this.#tell(error);
      },
    });
  }

  async #handled(event: OrderEvent): Promise<void> {
    const unwritten = await this.#ledger.handled(event);
    this.#counts.handled += 1;
    this.#acknowledger.add(event);
    if (unwritten !== undefined) this.#tell(unwritten);
  }

  #failed(event: OrderEvent, error: unknown, attempt: number): void {
    this.#observers.emit('listenerFailed', { event, error, attempt });
    this.#tell(error);
  }

  #unhandled(event: OrderEvent): void {
    const acknowledged = this.#options.unhandled === 'acknowledge';
    this.#counts.unhandled += 1;
    if (acknowledged) this.#acknowledger.add(event);
    this.#observers.emit('unhandled', { event, acknowledged });
  }

  /** Told once an event, not at every poll that brings it again. */
  #gaveUp({ eventId, eventType }: OrderEvent): void {
    if (this.#exhausted.has(eventId)) return;
    this.#exhausted.add(eventId);
    const attempts = this.#options.maxAttempts;
    this.#tell(
      new Error(
        `${eventType} ${eventId} has failed ${attempts} times and stays at the hub; listen to 'deadLetter' to decide over it`,
      ),
    );
  }

  /** To the `error` listeners, or the log where there are none. */
  #tell(error: unknown): void {
    const thrown = error instanceof Error ? error : new Error(String(error));
    if (this.#observers.has('error')) this.#observers.emit('error', thrown);
    else this.#parts.logger.error('opendelivery-client: the poller met an error', { error: thrown });
  }
}

/** Before the first good poll: what waiting cannot mend. */
function isFatal(error: unknown, started: boolean): boolean {
  if (error instanceof ConfigurationError || error instanceof ClosedError) return true;
  return !started && error instanceof AuthenticationError;
}
