import { ConfigurationError } from '../errors.js';
import { EVENT_TYPES } from '../schemas/event.js';
import { ALL_TYPES, DEAD_LETTER } from './listeners.js';
import { LIFECYCLE_NAMES } from './poller-events.js';

const bare = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const KNOWN = new Map(
  [...EVENT_TYPES, ...LIFECYCLE_NAMES, ALL_TYPES, DEAD_LETTER].map((name) => [bare(name), name]),
);

/**
 * Any name may be a type the hub adds, but `created` is no new type: nobody
 * would ever be told of CREATED, and it would be confirmed unread.
 *
 * @throws {ConfigurationError} the name is a known one in another spelling.
 */
export function refuseMisspelling(name: unknown): void {
  if (typeof name !== 'string' || name === '') {
    throw new ConfigurationError('name', "must be an event type such as 'CREATED', or 'event' for all");
  }
  // Types are upper case: STARTED may be one that a hub adds tomorrow.
  if (/^[A-Z][A-Z0-9_]*$/.test(name)) return;
  const meant = KNOWN.get(bare(name));
  if (meant === undefined || meant === name) return;
  throw new ConfigurationError('name', `'${name}' is no event type; did you mean '${meant}'?`);
}
