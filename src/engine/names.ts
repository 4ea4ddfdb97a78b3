import { ConfigurationError } from '../errors/index.js';
import { EVENT_TYPES, isKnownEventType } from '../schemas/event-types.js';
import { ALL_TYPES, DEAD_LETTER, LIFECYCLE_NAMES } from './lifecycle-events.js';

const OTHER_NAMES: readonly string[] = [...Object.keys(LIFECYCLE_NAMES), ALL_TYPES, DEAD_LETTER];

const NAMES: readonly string[] = [...EVENT_TYPES, ...OTHER_NAMES];

/** A name at most this far from a known one is a misspelling of it. */
const MAX_DISTANCE = 2;

const MAX_QUOTED = 60;

/**
 * Detects misspelled names. A hub may add event types, but `created` and
 * `CRATED` are mistakes: their listener would never be called, and CREATED would
 * be acknowledged unhandled.
 *
 * @throws {ConfigurationError} the name is another spelling of a known name, or not an event type.
 */
export function refuseMisspelling(name: unknown): void {
  if (typeof name !== 'string' || name === '') {
    throw new ConfigurationError('name', "must be an event type such as 'CREATED', or 'event' for all types");
  }
  if (isKnownEventType(name, 'exact') || OTHER_NAMES.includes(name)) return;
  const intended = intendedName(name);
  const quoted = name.length > MAX_QUOTED ? `${name.slice(0, MAX_QUOTED)}…` : name;
  if (intended !== undefined) {
    throw new ConfigurationError('name', `'${quoted}' is not an event name; did you mean '${intended}'?`);
  }
  if (/^[A-Z][A-Z0-9_]*$/.test(name)) return;
  throw new ConfigurationError(
    'name',
    `'${quoted}' is not an event name; event types of Spec §6.1 and of a hub are upper case ('CREATED'), and 'event' is for all types`,
  );
}

/** The known name that was probably intended. */
function intendedName(name: string): string | undefined {
  const letters = lettersOf(name);
  const sameLetters = NAMES.find((known) => lettersOf(known) === letters);
  if (sameLetters !== undefined) return sameLetters;
  // A hub's own type is upper case, and may resemble 'event' or 'error'.
  const isUpperCase = name === name.toUpperCase();
  const candidates = isUpperCase ? EVENT_TYPES : NAMES;
  const distances = candidates.map((known) => ({ known, distance: distance(lettersOf(known), letters) }));
  const [closest] = distances.sort((a, b) => a.distance - b.distance);
  return closest && closest.distance <= MAX_DISTANCE ? closest.known : undefined;
}

const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** How many letters must be changed, added or removed (Levenshtein); two that are swapped count as two. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_DISTANCE) return Number.POSITIVE_INFINITY;
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const changed = at(last, j - 1) + (isSame ? 0 : 1);
      row.push(Math.min(changed, at(last, j) + 1, at(row, j - 1) + 1));
    }
    last = row;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], index: number) => row[index] ?? Number.POSITIVE_INFINITY;
