import { isThenable } from '../async/thenable.js';
import type { OrderEvent } from '../schemas/event.js';
import type { Listeners, Registration } from './listeners.js';
import type { EventContext } from './poller-events.js';

/** How a run of an event's listeners ended. */
export type RunResult = { readonly resolved: true } | { readonly resolved: false; readonly error: unknown };

/** The object that starts runs. */
export interface RunOwner {
  /** See `EventContext.fence`. */
  readonly fence: number;
}

/** One event and one call of its listeners. */
export class Run {
  readonly owner: RunOwner;
  readonly event: OrderEvent;
  readonly attempt: number;
  /** The second argument of the listeners. */
  readonly context: EventContext;
  isOver = false;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  constructor(owner: RunOwner, event: OrderEvent, attempt: number, redelivered: boolean) {
    this.owner = owner;
    this.event = event;
    this.attempt = attempt;
    const signal = () => this.#signal();
    this.context = {
      attempt,
      redelivered,
      fence: owner.fence,
      get signal() {
        return signal();
      },
    };
  }

  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
  }

  /** Whether listeners failed because `abort` was called; that was reported then. */
  isOwnAbort(error: unknown): boolean {
    if (!this.#aborted) return false;
    if (error instanceof AggregateError) return error.errors.every((each) => this.isOwnAbort(each));
    return error === this.#aborted.reason || (error instanceof Error && error.name === 'AbortError');
  }

  /** Created on first use: most listeners never read it. */
  #signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }
}

/** The run of dead-letter listeners. */
export class DeadLetterRun extends Run {}

/**
 * Calls all listeners at once and awaits all of them; one that throws does not
 * stop the others.
 *
 * @returns a promise only if a listener was asynchronous.
 */
export function runListeners(
  listeners: Listeners,
  registrations: readonly Registration[],
  subject: unknown,
  context: EventContext,
): RunResult | Promise<RunResult> {
  const results: (RunResult | Promise<RunResult>)[] = [];
  let isAsync = false;
  for (const registration of registrations) {
    const result = runOne(listeners, registration, subject, context);
    isAsync ||= result instanceof Promise;
    results.push(result);
  }
  return isAsync ? Promise.all(results).then(combined) : combined(results as RunResult[]);
}

/** One failure fails the run; several become an AggregateError. */
function combined(results: readonly RunResult[]): RunResult {
  const errors = results.flatMap((result) => (result.resolved ? [] : [result.error]));
  if (errors.length === 0) return { resolved: true };
  if (errors.length === 1) return { resolved: false, error: errors[0] };
  const error = new AggregateError(
    errors,
    `${errors.length} listeners failed: ${errors.map(messageOf).join('; ')}`,
  );
  return { resolved: false, error };
}

function runOne(
  listeners: Listeners,
  registration: Registration,
  subject: unknown,
  context: EventContext,
): RunResult | Promise<RunResult> {
  const ended = (result: RunResult): RunResult => {
    listeners.end(registration, result.resolved);
    return result;
  };
  listeners.begin(registration);
  try {
    const returned: unknown = registration.listener(subject as never, context as never);
    if (!isThenable(returned)) return ended({ resolved: true });
    return Promise.resolve(returned).then(
      () => ended({ resolved: true }),
      (error: unknown) => ended({ resolved: false, error }),
    );
  } catch (error) {
    return ended({ resolved: false, error });
  }
}

/** The message of a thrown value, which can be anything, even a value that has no string form. */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  } catch {
    return 'a listener threw a value that cannot be converted to a string';
  }
}
