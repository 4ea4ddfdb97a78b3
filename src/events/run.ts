import { isThenable } from '../async/thenable.js';
import type { OrderEvent } from '../schemas/event.js';
import type { Listeners, Registration } from './listeners.js';
import type { EventContext } from './poller-events.js';

/** How a run of an event's listeners ended. */
export type RunResult = { readonly resolved: true } | { readonly resolved: false; readonly error: unknown };

/** What all runs of one dispatcher share. */
export interface RunOwner {
  /** See `EventContext.fence`. */
  readonly fence: number;
}

/** One event and the listeners that are called for it. */
export class Run {
  readonly event: OrderEvent;
  /** The dispatcher that began it. */
  readonly owner: RunOwner;
  readonly attempt: number;
  /** What the listeners are given beside the event. */
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

  /** Whether a failure is the listener's answer to having been aborted, and told already. */
  isEchoOfAbort(error: unknown): boolean {
    if (!this.#aborted) return false;
    if (error instanceof AggregateError) return error.errors.every((each) => this.isEchoOfAbort(each));
    return error === this.#aborted.reason || (error instanceof Error && error.name === 'AbortError');
  }

  /** Made when it is asked for: most listeners never do. */
  #signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }
}

/**
 * Calls all listeners at once and awaits every one; one that throws does not
 * stop the others. A result, not a promise, when none of them was asynchronous.
 */
export function runListeners(
  listeners: Listeners,
  registrations: readonly Registration[],
  subject: unknown,
  context: EventContext,
): RunResult | Promise<RunResult> {
  const pending: (RunResult | Promise<RunResult>)[] = [];
  let isAsync = false;
  for (const registration of registrations) {
    const outcome = runOne(listeners, registration, subject, context);
    isAsync ||= outcome instanceof Promise;
    pending.push(outcome);
  }
  return isAsync ? Promise.all(pending).then(combined) : combined(pending as RunResult[]);
}

/** Failed if one failed; with several errors, an AggregateError of all. */
function combined(results: readonly RunResult[]): RunResult {
  const errors = results.flatMap((result) => (result.resolved ? [] : [result.error]));
  if (errors.length === 0) return { resolved: true };
  if (errors.length === 1) return { resolved: false, error: errors[0] };
  const error = new AggregateError(
    errors,
    `${errors.length} listeners failed: ${errors.map(textOf).join('; ')}`,
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

/** What a listener has thrown, in words; anything can be thrown, also what cannot be converted. */
export function textOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  } catch {
    return 'a listener threw a value that cannot be shown';
  }
}
