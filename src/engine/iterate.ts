import type { OrderEvent } from '../schemas/event.js';
import type { HubEventListener } from './lifecycle-events.js';
import type { EventPoller } from './poller.js';
import type { EventContext } from './reports.js';

/** What `poller.events()` yields. */
export interface PolledEvent<Context = EventContext> {
  /** The event. */
  readonly event: OrderEvent;
  /** As the second argument of a listener. */
  readonly context: Context;
}

/** An event whose listener waits for the body of the loop. */
interface Waiting<Context> extends PolledEvent<Context> {
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
export async function* iterate<Context extends EventContext>(
  poller: Pick<EventPoller<Context>, 'on' | 'off' | 'start' | 'stop'>,
  isRunning: () => boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<PolledEvent<Context>, void, void> {
  if (signal?.aborted) return;
  const waiting = new Set<Waiting<Context>>();
  let isOver = false;
  let isLeft = false;
  let isStopped = false;
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};
  const listener: HubEventListener<Context> = (event, context) => {
    if (isLeft) throw new IterationEnded(false);
    return new Promise<void>((resolve, reject) => {
      const each = { event, context, resolve, reject };
      waiting.add(each);
      // It has waited too long for the body, or nobody waits for it any longer.
      context.signal.addEventListener('abort', () => {
        if (waiting.delete(each)) reject(new IterationEnded(false));
      });
      wake();
    });
  };
  const end = () => {
    isOver = true;
    wake();
  };
  const leave = () => {
    poller.off('event', listener);
    poller.off('stopped', stopped);
  };
  poller.on('event', listener);
  const stopped = () => {
    isStopped = true;
    // Also if nobody asks for the next event: it would fail the events of a later start without a word.
    leave();
    end();
  };
  poller.on('stopped', stopped);
  const started = isRunning()
    ? undefined
    : poller.start({ signal }).then(
        // Stopped before it began: no `stopped` comes.
        () => isRunning() || end(),
        (error: unknown) => {
          if (!signal?.aborted) failure = { error };
          end();
        },
      );
  // What comes until the body has ended waits for that: without this listener, it would be acknowledged unhandled.
  signal?.addEventListener('abort', end, { once: true });
  let handled: Waiting<Context> | undefined;
  try {
    while (!isOver) {
      [handled] = waiting;
      if (!handled) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      waiting.delete(handled);
      const { event, context, resolve } = handled;
      yield { event, context };
      resolve();
      handled = undefined;
    }
    // `stopped` is emitted before the start that has failed rejects.
    await started;
    if (failure) throw failure.error;
  } finally {
    isLeft = true;
    signal?.removeEventListener('abort', end);
    handled?.reject(new IterationEnded(true));
    for (const { reject } of waiting) reject(new IterationEnded(false));
    // One that could not be started, or was stopped, is idle, or runs by another call.
    if (started && !failure && !isStopped) await poller.stop();
    // Last: what a poll under way brings would have no listener, and be acknowledged.
    leave();
  }
}
