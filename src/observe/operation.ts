import type { TracingChannel } from 'node:diagnostics_channel';

/** Where a subscriber of `start` puts what the work runs in. Of the registry, because all copies of the package share the channels. */
const AROUND = Symbol.for('opendelivery-client.around');

/** Calls the work, for example in a context, and returns what it returns. */
type Around = <T>(work: () => T) => T;

/**
 * Called in a subscriber of `start`: the work of this context is called by `around`. It is for contexts that cannot be
 * bound to the channel, because their AsyncLocalStorage is not public.
 */
export function runWithin(context: Trace, around: Around): void {
  // Not enumerable: it is not shown where the context is.
  Object.defineProperty(context, AROUND, { value: around });
}

/** What the contexts of all channels have. */
export interface Trace {
  /** The store; undefined outside of a fleet. */
  readonly storeId: string | undefined;
  /** Why it failed. Not set if it did not. */
  error?: unknown;
}

/** Whether anybody subscribed. Not `channel.hasSubscribers`, which some platforms do not have. */
export function isTraced<Context extends object>(channel: TracingChannel<unknown, Context>): boolean {
  const { start, end, asyncStart, asyncEnd, error } = channel;
  return (
    start.hasSubscribers ||
    asyncEnd.hasSubscribers ||
    error.hasSubscribers ||
    end.hasSubscribers ||
    asyncStart.hasSubscribers
  );
}

/**
 * One operation on a tracing channel, in the order of Node.js: `start`, `end`
 * after its synchronous part, `error` if it failed, `asyncStart`, `asyncEnd`. The
 * last two also come if nothing was asynchronous, so that a subscriber knows
 * which message is the last one.
 *
 * `TracingChannel.tracePromise` does not fit: it adds the result to the context,
 * which would be a menu or an order.
 */
export class Operation<Context extends Trace> {
  readonly context: Context;
  readonly #channel: TracingChannel<unknown, Context>;
  #isOver = false;

  constructor(channel: TracingChannel<unknown, Context>, context: Context) {
    this.#channel = channel;
    this.context = context;
  }

  /** Publishes `start`, and calls `work` in the stores that subscribers have bound to it, and in what they have set. */
  start<T>(work: () => T): T {
    const { context } = this;
    const result = this.#channel.start.runStores(context, () => {
      const around = Reflect.get(context, AROUND) as Around | undefined;
      return around ? around(work) : work();
    });
    this.#channel.end.publish(this.context);
    return result;
  }

  /** It failed. Like `end`, it has an effect only once. */
  fail(error: unknown): void {
    if (this.#isOver) return;
    this.context.error = error;
    this.end();
  }

  /** It is over; it failed if the context has an error. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { error, asyncStart, asyncEnd } = this.#channel;
    const { context } = this;
    if ('error' in context) error.publish(context);
    asyncStart.publish(context);
    asyncEnd.publish(context);
  }
}

/** Traces work until its promise settles. */
export async function trace<Context extends Trace, T>(
  channel: TracingChannel<unknown, Context>,
  context: Context,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const operation = new Operation(channel, context);
  try {
    const result = await operation.start(() => work(context));
    operation.end();
    return result;
  } catch (error) {
    operation.fail(error);
    throw error;
  }
}
