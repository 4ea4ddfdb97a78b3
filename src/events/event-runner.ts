import { TimeoutError } from '../errors.js';
import type { OrderEvent } from '../schemas/event.js';
import { keyOf } from './event-key.js';
import type { Ledger } from './ledger.js';
import type { Registration } from './listeners.js';
import type { Outcomes } from './outcomes.js';
import type { PollerContext } from './poller-context.js';
import { DeadLetterRun, Run, type RunOwner, type RunResult, runListeners } from './run.js';
import { LATE, RunTimeouts } from './run-timeouts.js';
import { callingRun, inRun } from './runs.js';

/** Whether the later events of the order may follow in this cycle. */
export type NextStep = 'continue' | 'block';

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
  readonly #timeouts: RunTimeouts;
  /** Keys of the events whose listener waits for `stop`: `stop` does not wait for them. */
  readonly #exempted = new Set<string>();
  /** Resolves when one more event is exempted. */
  #exemption = deferred();

  constructor(context: PollerContext, ledger: Ledger, outcomes: Outcomes) {
    this.#context = context;
    this.#ledger = ledger;
    this.#outcomes = outcomes;
    this.#timeouts = new RunTimeouts(context.clock, context.listenerTimeoutMs);
  }

  get fence(): number {
    return this.#context.lease.fence;
  }

  /** Calls the event's listeners; after the last attempt fails, also those of `deadLetter`. */
  run(event: OrderEvent, registrations: readonly Registration[]): Promise<NextStep> {
    const run = new Run(this, event, this.#ledger.attempt(event), this.#ledger.isRedelivered(event));
    return this.#run(run, registrations, event);
  }

  /** Calls the dead-letter listeners, which decide over the event as others do; undefined if there are none. */
  deadLetter(event: OrderEvent): Promise<NextStep> | NextStep | undefined {
    const { listeners } = this.#context;
    const { registrations, isBusy } = listeners.deadLetter();
    if (isBusy) return 'block';
    if (registrations.length === 0) return undefined;
    const attempts = this.#ledger.attemptsOf(event);
    const letter = { event, attempts, error: this.#ledger.lastErrorOf(event) };
    return this.#run(new DeadLetterRun(this, event, attempts, true), registrations, letter);
  }

  /** If a listener is calling: `settled` does not wait for its run, which itself waits for `settled`. */
  exemptCurrentRun(): void {
    const current = callingRun();
    if (current?.owner !== this) return;
    this.#exempted.add(keyOf(current.event));
    const { resolve } = this.#exemption;
    this.#exemption = deferred();
    resolve();
  }

  /** Resolves when all runs of this runner have settled, except the exempted ones. */
  async settled(): Promise<void> {
    while (true) {
      const running = this.#context.runs.of(this).filter(({ run }) => !this.#exempted.has(keyOf(run.event)));
      if (running.length === 0) return;
      const all = Promise.all(running.map(({ settled }) => settled));
      await Promise.race([all, this.#exemption.promise]);
    }
  }

  /** Aborts the runs under way and stops waiting for them. */
  abortAll(reason: unknown): void {
    for (const { run } of this.#context.runs.of(this)) this.#giveUp(run, reason, false);
    this.#timeouts.abandonAll();
  }

  async #run(run: Run, registrations: readonly Registration[], subject: unknown): Promise<NextStep> {
    const { listeners, runs } = this.#context;
    const result = inRun(run, () => runListeners(listeners, registrations, subject, run.context));
    const concluded = this.#conclude(run, result);
    const settled = concluded.then(
      () => this.#ended(run),
      () => this.#ended(run),
    );
    runs.add(run, settled);
    // Synchronous listeners cannot time out.
    if (!(result instanceof Promise)) return concluded;
    const inTime = await this.#timeouts.watch(result, () => this.#expire(run));
    return inTime === LATE ? 'block' : concluded;
  }

  #expire(run: Run): void {
    this.#giveUp(run, new TimeoutError('listener', this.#context.listenerTimeoutMs), true);
  }

  /** The run goes on; until it settles, its event counts as failed. */
  #giveUp(run: Run, reason: unknown, isReported: boolean): void {
    run.abort(reason);
    void this.#outcomes.failed(run, reason, isReported);
  }

  async #conclude(run: Run, pending: RunResult | Promise<RunResult>): Promise<NextStep> {
    const { lease, maxAttempts } = this.#context;
    const result = pending instanceof Promise ? await pending : pending;
    if (result.resolved) {
      await this.#outcomes.handled(run.event);
      return 'continue';
    }
    await this.#outcomes.failed(run, result.error, !run.isOwnAbort(result.error));
    if (run instanceof DeadLetterRun || run.attempt < maxAttempts) return 'block';
    if (!lease.isValid(run.context.fence)) return 'block';
    return this.deadLetter(run.event) ?? 'block';
  }

  #ended(run: Run): void {
    run.isOver = true;
    const { runs } = this.#context;
    runs.remove(run);
    if (!runs.has(run.event)) this.#exempted.delete(keyOf(run.event));
  }
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
