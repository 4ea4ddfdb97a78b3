import { ConfigurationError } from '../errors.js';

/** A moment: epoch ms, or a `Date`. */
export type Instant = number | Date;

/** @throws {ConfigurationError} it is none. */
export function instantMs(name: string, value: unknown): number {
  const ms = value instanceof Date ? value.getTime() : value;
  if (typeof ms === 'number' && Math.abs(ms) <= 8.64e15) return ms;
  throw new ConfigurationError(name, 'must be an instant: epoch ms or a valid Date');
}
