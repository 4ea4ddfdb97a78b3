import { startTimer } from '../async/timer.js';
import { shownError } from '../errors/error-copy.js';
import { TimeoutError } from '../errors.js';
import { LISTENER } from '../tracing/channels.js';
import { isTraced, Operation } from '../tracing/operation.js';
import type { Entry } from './entry.js';
import type { Ledger } from './ledger.js';
import { ListenerContext } from './listener-context.js';
import type { Registration } from './listeners.js';
import { merchantIdOf } from './merchants.js';
import type { Outcomes } from './outcomes.js';
import { type PollerContext, WHOLE } from './poller-context.js';
import type { EventContext } from './poller-events.js';
import { messageOf, Run, type RunOwner, type RunResult, runListeners } from './run.js';
import { callingRun } from './running.js';

/** Whether the later events of the order may follow in this cycle. */
type NextStep = 'continue' | 'block';

/** The next step; a promise of it, if a listener is asynchronous or its failure has to be written. */
export type Step = NextStep | Promise<NextStep>;

/** An asynchronous run that the poller waits for. */
interface Awaited {
  /** The poller waits no longer. */
  readonly giveUp: () => void;
}

/**
 * Calls the listeners of events and waits for them.
 *
 * A run that takes longer than `listenerTimeoutMs` goes on, but the poller does
 * not wait for it any longer.
 */
export class EventRunner implements RunOwner {
  readonly #context: PollerContext;
  readonly #ledger: Ledger;
  readonly #outcomes: Outcomes;
  readonly #awaited = new Map<Run, Awaited>();
  /** Keys of the events whose listener waits for `stop`: `stop` does not wait for them. */
  readonly #exempted = new Set<string>();
  /** Resolves when one more event is exempted. */
  #exemption = deferred();

  constructor(context: PollerContext, ledger: Ledger, outcomes: Outcomes) {
    this.#context = context;
    this.#ledger = ledger;
    this.#outcomes = outcomes;
  }

  get fence(): number {
    return this.#context.lease.fence;
  }

  contextOf(run: Run): EventContext {
    const { merchants } = this.#context;
    return new ListenerContext(run, this.#context, merchantIdOf(run.entry.event, merchants));
  }

  /** Calls the event's listeners; after the last attempt fails, also those of `deadLetter`. */
  run(entry: Entry, registrations: readonly Registration[]): Step {
    const attempt = this.#ledger.attempt(entry);
    return this.#run(new Run(this, entry, attempt, false), registrations, entry.event);
  }

  /** Calls the dead-letter listeners, which decide over the event as others do. Undefined: nobody listens. */
  deadLetter(entry: Entry): Step | undefined {
    const { registrations, isBusy } = this.#context.listeners.deadLetter();
    if (isBusy) return 'block';
    if (registrations.length === 0) return undefined;
    const { event, attempts, lastError } = entry;
    const letter = { event, attempts, error: lastError };
    return this.#run(new Run(this, entry, attempts, true), registrations, letter);
  }

  /** If a listener is calling: `settled` does not wait for its run, which itself waits for `settled`. */
  exemptCurrentRun(): void {
    const current = callingRun();
    if (current?.owner !== this) return;
    current.leaveBehind();
    this.#exempted.add(current.entry.key);
    const { resolve } = this.#exemption;
    this.#exemption = deferred();
    resolve();
  }

  /** Resolves when all runs of this runner have settled, except the exempted ones. */
  async settled(): Promise<void> {
    while (true) {
      const running = this.#context.runs.of(this).filter(({ run }) => !this.#exempted.has(run.entry.key));
      if (running.length === 0) return;
      const all = Promise.all(running.map(({ settled }) => settled));
      await Promise.race([all, this.#exemption.promise]);
    }
  }

  /** Aborts the runs under way and stops waiting for them. */
  abortAll(reason: unknown): void {
    for (const { run } of this.#context.runs.of(this)) this.#giveUp(run, reason, false);
  }

  #run(run: Run, registrations: readonly Registration[], subject: unknown): Step {
    const { listeners } = this.#context;
    const result = isTraced(LISTENER)
      ? this.#trace(run, () => runListeners(run, listeners, registrations, subject))
      : runListeners(run, listeners, registrations, subject);
    if (result instanceof Promise) return this.#await(run, result);
    run.end();
    if (this.#exempted.size > 0) this.#exempted.delete(run.entry.key);
    return this.#conclude(run, result);
  }

  #trace(run: Run, work: () => RunResult | Promise<RunResult>): RunResult | Promise<RunResult> {
    const { quote, storeId } = this.#context;
    const { attempt, redelivered, isDeadLetter } = run;
    const { eventId, orderId, eventType } = run.entry.event;
    const event = { eventIds: [quote(eventId)], orderId: quote(orderId), eventType: quote(eventType) };
    run.operation = new Operation(LISTENER, {
      storeId,
      ...event,
      attempt,
      redelivered,
      deadLetter: isDeadLetter,
    });
    return run.operation.start(work);
  }

  /** The error of a listener may be another library's, with a request behind it and a secret in it. */
  #shownError(error: unknown): unknown {
    const quote = (text: string) => this.#context.quote(text, WHOLE);
    const shown = shownError(error, quote);
    return shown instanceof Error ? shown : new Error(quote(messageOf(error)));
  }

  /** Resolves when the run has ended, or when the poller waits for it no longer. */
  #await(run: Run, pending: Promise<RunResult>): Promise<NextStep> {
    const { clock, listenerTimeoutMs } = this.#context;
    return new Promise((resolve) => {
      const ended = (result: RunResult): void | Promise<void> => {
        cancelTimer();
        this.#awaited.delete(run);
        const step = this.#conclude(run, result);
        const over = (next: NextStep) => {
          this.#ended(run);
          resolve(next);
        };
        return step instanceof Promise ? step.then(over) : over(step);
      };
      this.#context.runs.add(run, pending.then(ended));
      const cancelTimer = startTimer(clock, listenerTimeoutMs, () => this.#expire(run));
      this.#awaited.set(run, {
        giveUp: () => {
          cancelTimer();
          this.#awaited.delete(run);
          resolve('block');
        },
      });
    });
  }

  #expire(run: Run): void {
    this.#giveUp(run, new TimeoutError('listener', this.#context.listenerTimeoutMs), true);
  }

  /** The run goes on; until it settles, its event counts as failed. */
  #giveUp(run: Run, reason: unknown, isReported: boolean): void {
    run.operation?.fail(reason);
    run.leaveBehind();
    run.abort(reason);
    void this.#outcomes.failed(run, reason, isReported);
    this.#awaited.get(run)?.giveUp();
  }

  #conclude(run: Run, result: RunResult): Step {
    if (result.resolved) {
      run.operation?.end();
      this.#outcomes.handled(run);
      return 'continue';
    }
    run.operation?.fail(this.#shownError(result.error));
    const failed = this.#outcomes.failed(run, result.error, !run.isOwnAbort(result.error));
    return failed ? failed.then(() => this.#afterFailure(run)) : this.#afterFailure(run);
  }

  #afterFailure(run: Run): Step {
    const { lease, maxAttempts } = this.#context;
    if (run.isDeadLetter || run.attempt < maxAttempts || !lease.isValid(run.fence)) return 'block';
    return this.deadLetter(run.entry) ?? 'block';
  }

  #ended(run: Run): void {
    run.end();
    const { runs } = this.#context;
    runs.remove(run);
    if (!runs.has(run.entry.key)) this.#exempted.delete(run.entry.key);
  }
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
