import { ConfigurationError } from '../errors.js';
import { EVENT_TYPES, isKnownEventType } from '../schemas/event-types.js';
import { ALL_TYPES, DEAD_LETTER } from './listeners.js';
import { LIFECYCLE_NAMES } from './poller-events.js';

const OTHER_NAMES: readonly string[] = [...LIFECYCLE_NAMES, ALL_TYPES, DEAD_LETTER];

const NAMES: readonly string[] = [...EVENT_TYPES, ...OTHER_NAMES];

/** A name this close to a known one is a misspelling of it. */
const MAX_DISTANCE = 2;

const MAX_SHOWN = 60;

/**
 * A hub may add event types, but `created` and `CRATED` are not among them: no
 * listener would see CREATED, and it would be acknowledged unhandled.
 *
 * @throws {ConfigurationError} the name is a known one in another spelling, or not an event type.
 */
export function refuseMisspelling(name: unknown): void {
  if (typeof name !== 'string' || name === '') {
    throw new ConfigurationError('name', "must be an event type such as 'CREATED', or 'event' for all");
  }
  if (isKnownEventType(name, 'exact') || OTHER_NAMES.includes(name)) return;
  const meant = meantBy(name);
  const shown = name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name;
  if (meant !== undefined) {
    throw new ConfigurationError('name', `'${shown}' is not an event name; did you mean '${meant}'?`);
  }
  if (/^[A-Z][A-Z0-9_]*$/.test(name)) return;
  throw new ConfigurationError(
    'name',
    `'${shown}' is not an event name; a type of Spec §6.1 or of your hub is upper case ('CREATED'), 'event' is for all types`,
  );
}

/** The known name that was probably meant. */
function meantBy(name: string): string | undefined {
  const letters = lettersOf(name);
  const same = NAMES.find((known) => lettersOf(known) === letters);
  if (same !== undefined) return same;
  // A hub's own type is upper case, and may well resemble 'event' or 'error'.
  const isUpperCase = name === name.toUpperCase();
  const candidates = isUpperCase ? EVENT_TYPES : NAMES;
  const distances = candidates.map((known) => ({ known, distance: distance(lettersOf(known), letters) }));
  const [closest] = distances.sort((a, b) => a.distance - b.distance);
  return closest && closest.distance <= MAX_DISTANCE ? closest.known : undefined;
}

const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** How many letters have to be changed, added, removed, or swapped with their neighbour. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_DISTANCE) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const changed = at(row, j - 1) + (isSame ? 0 : 1);
      let least = Math.min(changed, at(row, j) + 1, at(next, j - 1) + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) least = Math.min(least, at(before, j - 2) + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return at(row, b.length);
}

const at = (row: readonly number[], index: number) => row[index] ?? Number.POSITIVE_INFINITY;
