import { inspect } from 'node:util';

/** A database rounds instants to milliseconds; what is left of a duration may then be greater by this much. */
const ROUNDING_MS = 2;

/**
 * Whether both values are deeply equal. A property that is undefined counts as absent.
 *
 * @param slackMs - a `waitMs` may be smaller than expected by this much, because
 * real time has passed; undefined: it must be exact.
 */
export function isSame(actual: unknown, expected: unknown, slackMs: number | undefined): boolean {
  if (Object.is(actual, expected)) return true;
  if (typeof actual !== 'object' || typeof expected !== 'object' || !actual || !expected) return false;
  if (Array.isArray(actual) !== Array.isArray(expected)) return false;
  if (Array.isArray(actual) && actual.length !== (expected as unknown[]).length) return false;
  const names = new Set([...Object.keys(actual), ...Object.keys(expected)]);
  return [...names].every((name) => {
    const [one, other] = [Reflect.get(actual, name), Reflect.get(expected, name)];
    const isWait = name === 'waitMs' && slackMs !== undefined;
    return isWait ? isWaitWithin(one, other, slackMs) : isSame(one, other, slackMs);
  });
}

function isWaitWithin(actual: unknown, expected: number, slackMs: number): boolean {
  if (typeof actual !== 'number' || actual <= 0) return false;
  return actual <= expected + ROUNDING_MS && actual >= expected - slackMs - ROUNDING_MS;
}

const MAX_SHOWN_CHARACTERS = 300;

/** Both values, for an error message: strings of megabytes are cut, and of thousands of marks only the first different one is quoted. */
export function difference(actual: unknown, expected: unknown): string {
  if (truncated(expected).length > MAX_SHOWN_CHARACTERS && Array.isArray(actual) && Array.isArray(expected)) {
    const longer = actual.length > expected.length ? actual : expected;
    const at = longer.findIndex((_, index) => !isSame(actual[index], expected[index], undefined));
    return `  at index ${at}:\n${difference(actual[at], expected[at])}`;
  }
  return `  expected: ${truncated(expected)}\n  received: ${truncated(actual)}`;
}

function truncated(value: unknown): string {
  // Not as JSON, which has no undefined in an array, no Infinity and no NaN.
  const text = inspect(value, { breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 50, depth: 4 });
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}
