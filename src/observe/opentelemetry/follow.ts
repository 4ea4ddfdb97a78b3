import { tracingChannel } from 'node:diagnostics_channel';
import { diag } from '@opentelemetry/api';
import type { Traces } from '../channels.js';

/** What is made of the operations of a channel. */
interface Follower<Context, State> {
  /** The operation starts; called in its own context. @returns what the other two get. */
  begin(context: Context): State;
  /** It has ended. */
  end(context: Context, state: State): void;
  /** It is under way, and nobody follows it any longer. */
  abandon?(state: State): void;
}

/**
 * Follows each operation of a channel from its start to its end. One that
 * started before is left out.
 *
 * @returns a function that ends it.
 */
export function follow<Name extends keyof Traces, State>(
  name: Name,
  { begin, end, abandon }: Follower<Traces[Name], State>,
): () => void {
  const { start, asyncEnd } = tracingChannel<unknown, Traces[Name]>(name);
  const open = new Map<Traces[Name], State>();
  const onStart = quietly((message: unknown) => {
    const context = message as Traces[Name];
    open.set(context, begin(context));
  });
  const onEnd = quietly((message: unknown) => {
    const context = message as Traces[Name];
    const state = open.get(context);
    if (!open.delete(context)) return;
    end(context, state as State);
  });
  start.subscribe(onStart);
  asyncEnd.subscribe(onEnd);
  return () => {
    start.unsubscribe(onStart);
    asyncEnd.unsubscribe(onEnd);
    if (abandon) for (const state of open.values()) quietly(abandon)(state);
    open.clear();
  };
}

/** A subscriber that throws ends the process; a broken sampler or processor must not. */
const quietly =
  <T>(subscriber: (message: T) => void) =>
  (message: T): void => {
    try {
      subscriber(message);
    } catch (error) {
      diag.error('opendelivery-client: telemetry failed', error);
    }
  };
