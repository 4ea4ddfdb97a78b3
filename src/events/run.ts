import { isThenable } from '../async/thenable.js';
import type { ListenerTrace } from '../tracing/channels.js';
import type { Operation } from '../tracing/operation.js';
import type { Entry } from './entry.js';
import type { Listeners, Registration } from './listeners.js';
import type { EventContext } from './poller-events.js';
import { inRun } from './running.js';

/** How a run of an event's listeners ended. */
export type RunResult = { readonly resolved: true } | { readonly resolved: false; readonly error: unknown };

const RESOLVED: RunResult = Object.freeze({ resolved: true });

/** The object that starts runs. */
export interface RunOwner {
  /** See `EventContext.fence`. */
  readonly fence: number;
  /** What listeners get as their second argument. */
  contextOf(run: Run): EventContext;
}

/** One event and one call of its listeners. */
export class Run {
  readonly attempt: number;
  readonly redelivered: boolean;
  readonly fence: number;
  readonly #owner: RunOwner;
  readonly #entry: Entry;
  readonly #isDeadLetter: boolean;
  #context: EventContext | undefined;
  /** Set if somebody traces the listeners. */
  #operation: Operation<ListenerTrace> | undefined;
  #isOver = false;
  #isLate = false;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  /** @param isDeadLetter - whether the listeners are those of `deadLetter`. */
  constructor(owner: RunOwner, entry: Entry, attempt: number, isDeadLetter: boolean) {
    this.attempt = attempt;
    this.redelivered = isDeadLetter || entry.isRedelivered;
    this.fence = owner.fence;
    this.#owner = owner;
    this.#entry = entry;
    this.#isDeadLetter = isDeadLetter;
  }

  /** Created on first use: most listeners never read it. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  /** The second argument of all its listeners. */
  get context(): EventContext {
    this.#context ??= this.#owner.contextOf(this);
    return this.#context;
  }

  get owner(): RunOwner {
    return this.#owner;
  }

  get entry(): Entry {
    return this.#entry;
  }

  get isDeadLetter(): boolean {
    return this.#isDeadLetter;
  }

  get operation(): Operation<ListenerTrace> | undefined {
    return this.#operation;
  }

  set operation(operation: Operation<ListenerTrace>) {
    this.#operation = operation;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The poller does not wait for it any longer: it took too long, or the poller has stopped or lost its lease. */
  get isLate(): boolean {
    return this.#isLate;
  }

  end(): void {
    this.#isOver = true;
  }

  leaveBehind(): void {
    this.#isLate = true;
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
 * Calls all listeners at once and awaits all of them; one that throws does not
 * stop the others.
 *
 * @param subject - the first argument of the listeners.
 * @returns a promise only if a listener was asynchronous.
 */
export function runListeners(
  run: Run,
  listeners: Listeners,
  registrations: readonly Registration[],
  subject: unknown,
): RunResult | Promise<RunResult> {
  if (registrations.length === 1) return runOne(run, listeners, registrations[0] as Registration, subject);
  const results = registrations.map((registration) => runOne(run, listeners, registration, subject));
  const isAsync = results.some((result) => result instanceof Promise);
  return isAsync ? Promise.all(results).then(combined) : combined(results as RunResult[]);
}

/** One failure fails the run; several become an AggregateError. */
function combined(results: readonly RunResult[]): RunResult {
  const errors = results.flatMap((result) => (result.resolved ? [] : [result.error]));
  if (errors.length === 0) return RESOLVED;
  if (errors.length === 1) return { resolved: false, error: errors[0] };
  const error = new AggregateError(
    errors,
    `${errors.length} listeners failed: ${errors.map(messageOf).join('; ')}`,
  );
  return { resolved: false, error };
}

function runOne(
  run: Run,
  listeners: Listeners,
  registration: Registration,
  subject: unknown,
): RunResult | Promise<RunResult> {
  listeners.begin(registration);
  try {
    const returned: unknown = inRun(run, registration.listener, subject);
    if (isThenable(returned)) {
      return Promise.resolve(returned).then(
        () => ended(listeners, registration, RESOLVED),
        (error: unknown) => ended(listeners, registration, { resolved: false, error }),
      );
    }
    return ended(listeners, registration, RESOLVED);
  } catch (error) {
    return ended(listeners, registration, { resolved: false, error });
  }
}

function ended(listeners: Listeners, registration: Registration, result: RunResult): RunResult {
  listeners.end(registration, result.resolved);
  return result;
}

/** The message of a thrown value, which can be anything, even a value that has no string form. */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  } catch {
    return 'a listener threw a value that cannot be converted to a string';
  }
}
