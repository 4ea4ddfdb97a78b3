import { isThenable } from '../async/promises.js';
import { LISTENER, type ListenerTrace } from '../observe/channels.js';
import { isTraced, Operation } from '../observe/operation.js';
import { freeOrder } from './busy-orders.js';
import { countRunning, current, ListenerContext } from './context.js';
import { retryAtOf } from './due.js';
import type { Engine } from './engine.js';
import type { Handling, Settling } from './handling.js';
import { releaseWhenIdle } from './lease.js';
import type { Registration } from './listeners.js';
import { reportFailed } from './report-events.js';
import { noteEnd, type OpenEvent, type Store } from './store.js';
import { oneError, readable, shownThrown } from './thrown.js';

/** One event and one call of its listeners. */
export class Run {
  readonly engine: Engine;
  readonly store: Store;
  readonly open: OpenEvent;
  readonly settler: Settling;
  readonly polledAt: number;
  readonly attempt: number;
  readonly redelivered: boolean;
  readonly fence: number;
  readonly isDeadLetter: boolean;
  /** Set if somebody traces the listeners. */
  operation: Operation<ListenerTrace> | undefined;
  isOver = false;
  /** Nobody waits for it any longer: it took too long, or the poller has stopped or lost its lease. */
  isLate = false;
  /** Its listener waits for `stop`, which therefore does not wait for it. */
  isExempt = false;
  /** How many of its listeners have not settled, and what the others have thrown. */
  pending = 0;
  errors: unknown[] | undefined;
  /** Called when all have settled, if one is asynchronous. */
  onSettled: (() => void) | undefined;
  /** The commit of its listener, and why that has failed. */
  committing: Promise<void> | undefined;
  commitFailure: { readonly error: unknown } | undefined;
  /** Its listener has settled: what it has left behind must not commit. */
  hasEnded = false;
  /** Ends the wait for it. */
  onLate: (() => void) | undefined;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  constructor({ engine, store, settler, polledAt }: Handling, open: OpenEvent, isDeadLetter: boolean) {
    this.engine = engine;
    this.store = store;
    this.settler = settler;
    this.polledAt = polledAt;
    this.open = open;
    this.attempt = open.attempts;
    this.redelivered = isDeadLetter || open.isRedelivered;
    this.fence = store.lease?.fence ?? 0;
    this.isDeadLetter = isDeadLetter;
  }

  /** Created on first use: most listeners never read it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort(this.#aborted.reason);
    return this.#controller.signal;
  }

  /** Nobody waits for it, and its listeners know that. */
  get isGivenUp(): boolean {
    return this.#aborted !== undefined;
  }

  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
  }

  /** Whether listeners failed because `abort` was called; that was reported then. */
  isOwnAbort(error: unknown): boolean {
    if (!this.#aborted) return false;
    if (error instanceof AggregateError) return error.errors.every((each) => this.isOwnAbort(each));
    const { reason } = this.#aborted;
    if (error === reason) return true;
    // A command that was on its way says that its outcome is unknown, and why it was aborted.
    return error instanceof Error && (error.name === 'AbortError' || error.cause === reason);
  }
}

/**
 * Calls the listeners of one event, all at once; one that throws does not stop the others.
 *
 * @returns whether they have resolved; a promise of it, if one is asynchronous or its failure has to be written. If the
 * run takes too long, it resolves to false before the run has ended.
 */
export function startRun(
  run: Run,
  registrations: readonly Registration[],
  subject: unknown,
): boolean | Promise<boolean> {
  run.open.status = 'running';
  run.pending = registrations.length;
  if (isTraced(LISTENER)) traced(run, () => callAll(run, registrations, subject));
  else callAll(run, registrations, subject);
  if (run.pending === 0) {
    run.isOver = true;
    const mayGoOn = conclude(run);
    // Its listener has called `stop`.
    if (run.isLate) freeOrderOf(run);
    return mayGoOn;
  }
  return new Promise((resolve) => {
    begun(run);
    run.onLate = () => resolve(false);
    run.onSettled = () => {
      const isHandled = conclude(run);
      if (isHandled instanceof Promise) void isHandled.then((mayGoOn) => ended(run, resolve, mayGoOn));
      else ended(run, resolve, isHandled);
    };
  });
}

function callAll(run: Run, registrations: readonly Registration[], subject: unknown): void {
  const context = new ListenerContext(run);
  for (const registration of registrations) {
    if (registration.once) registration.isBusy = true;
    try {
      const given = registration.listener as () => unknown;
      const listener = run.settler.listenerOf?.(run, given) ?? given;
      const returned = current.run(run, listener, subject, context);
      if (!isThenable(returned)) listenerEnded(run, registration);
      else
        Promise.resolve(returned).then(
          () => listenerEnded(run, registration),
          (error: unknown) => listenerEnded(run, registration, { error }),
        );
    } catch (error) {
      listenerEnded(run, registration, { error });
    }
  }
}

/** One listener has resolved, or has failed. */
function listenerEnded(run: Run, registration: Registration, failure?: { readonly error: unknown }): void {
  if (registration.once) run.engine.listeners.end(registration, !failure);
  if (failure) {
    run.errors ??= [];
    run.errors.push(readable(failure.error));
  }
  run.pending -= 1;
  if (run.pending === 0) run.onSettled?.();
}

/** All listeners have settled. @returns whether the event is handled; a promise of false if its failure is written. */
function conclude(run: Run): boolean | Promise<boolean> {
  const { store, open, settler, operation, errors } = run;
  if (!errors) {
    operation?.end();
    settler.handled(open);
    return true;
  }
  const error = oneError(errors);
  operation?.fail(shownThrown(store.account, error));
  return settler.failed(run, error);
}

/** Why the event is not handled, and when it may run again. A run that was given up comes here then, and again if it fails at last. */
export function noteFailure(
  { engine, store, open, attempt, polledAt, isDeadLetter }: Run,
  error: unknown,
  isReported: boolean,
): void {
  const now = engine.services.clock.monotonic();
  // What a dead-letter listener throws is not why the event is dead.
  if (!isDeadLetter) open.error = error;
  open.failedAt = now;
  open.retryAt = retryAtOf(open, engine.options, polledAt, now);
  if (isReported) reportFailed(engine, store, open, error, attempt);
}

function begun(run: Run): void {
  const { engine, store } = run;
  store.runs ??= new Set();
  store.runs.add(run);
  countRunning(1);
  engine.deadlines.add(run);
  // Its listener has called `stop` before its first `await`.
  if (run.isExempt) noteEnd(store);
}

function ended(run: Run, resolve: (isHandled: boolean) => void, isHandled: boolean): void {
  const { engine, store } = run;
  run.isOver = true;
  engine.deadlines.delete(run);
  countRunning(-1);
  store.runs?.delete(run);
  if (store.runs?.size === 0) store.runs = undefined;
  if (run.isLate) {
    engine.deadlines.stopTimer();
    freeOrderOf(run);
    releaseWhenIdle(engine, store);
  }
  noteEnd(store);
  resolve(isHandled);
}

/** What was left behind has ended: its order is free, see `leaveBehind`. */
function freeOrderOf({ engine, store, open }: Run): void {
  if (engine.options.ordering === 'per-order') freeOrder(store, open.event.orderId);
}

function traced(run: Run, work: () => void): void {
  const { account } = run.store;
  const { attempt, redelivered, isDeadLetter } = run;
  const { eventId, orderId, eventType } = run.open.event;
  run.operation = new Operation(LISTENER, {
    storeId: account.storeId,
    eventIds: [account.quote(eventId)],
    orderId: account.quote(orderId),
    eventType: account.quote(eventType),
    attempt,
    redelivered,
    deadLetter: isDeadLetter,
  });
  run.operation.start(work);
}
