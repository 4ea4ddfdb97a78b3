import type { Quote } from './poller-context.js';
import type { ListenerError } from './poller-events.js';
import { messageOf } from './run.js';

/** A thrown value can be anything; its name and its message are all that is shown of it. */
export function listenerErrorOf(thrown: unknown, quote: Quote): ListenerError {
  return { name: quote(nameOf(thrown)), message: quote(messageOf(thrown)) };
}

function nameOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.name) : 'Error';
  } catch {
    return 'Error';
  }
}
