import type { OrderEvent } from '../schemas/event.js';
import type { HubEventListener } from './lifecycle-events.js';
import type { EventContext } from './reports.js';

/** What `poller.events()` yields. */
export interface PolledEvent<Context = EventContext> {
  /** The event. */
  readonly event: OrderEvent;
  /** As the second argument of a listener. */
  readonly context: Context;
}

/** The part of a poller that an iteration needs. */
interface Iterated {
  on(name: 'event' | 'stopped', listener: HubEventListener): unknown;
  off(name: 'event' | 'stopped', listener: HubEventListener): unknown;
  start(options: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  stop(): Promise<unknown>;
}

/** An event whose listener waits for the body of the loop. */
interface Waiting extends PolledEvent {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Why an event is not handled that the loop has left. */
export class IterationEnded extends Error {
  override readonly name = 'IterationEnded';
  /** Whether the body of the loop has had the event. */
  readonly wasTried: boolean;

  constructor(wasTried: boolean) {
    super('the iteration ended before it had handled this event; it stays where it was');
    this.wasTried = wasTried;
  }
}

/**
 * The events of a poller as an async iterable.
 *
 * @param isRunning - whether the poller runs already, when the first event is asked for.
 */
export async function* iterate(
  poller: Iterated,
  isRunning: () => boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<PolledEvent, void, void> {
  if (signal?.aborted) return;
  const waiting: Waiting[] = [];
  let isOver = false;
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};
  const listener: HubEventListener = (event, context) => {
    if (isOver) throw new IterationEnded(false);
    return new Promise<void>((resolve, reject) => {
      waiting.push({ event, context, resolve, reject });
      wake();
    });
  };
  const end = () => {
    isOver = true;
    wake();
  };
  poller.on('event', listener);
  poller.on('stopped', end);
  const started = isRunning()
    ? undefined
    : poller.start({ signal }).catch((error: unknown) => {
        if (!signal?.aborted) failure = { error };
        end();
      });
  signal?.addEventListener('abort', end, { once: true });
  let handled: Waiting | undefined;
  try {
    while (!isOver) {
      handled = waiting.shift();
      if (!handled) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const { event, context, resolve, reject } = handled;
      // It waited too long, or another process has the store now.
      if (context.signal.aborted) reject(context.signal.reason);
      else {
        yield { event, context };
        resolve();
      }
      handled = undefined;
    }
    // `stopped` is emitted before the start that has failed rejects.
    await started;
    if (failure) throw failure.error;
  } finally {
    isOver = true;
    signal?.removeEventListener('abort', end);
    handled?.reject(new IterationEnded(true));
    for (const { reject } of waiting) reject(new IterationEnded(false));
    poller.off('event', listener);
    poller.off('stopped', end);
    // One that could not be started is stopped, or runs by another call.
    if (started && !failure) await poller.stop();
  }
}
