/** A database rounds instants to milliseconds; what is left of a duration may then be greater by this much. */
const ROUNDING_MS = 2;

/**
 * Whether both values are deeply equal. A property that is undefined counts as
 * absent.
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

/** Both values, for an error message: strings of megabytes are cut, and of thousands of marks the first different one is shown. */
export function difference(actual: unknown, expected: unknown): string {
  const isLong = shown(expected).length > MAX_SHOWN_CHARACTERS;
  if (isLong && Array.isArray(actual) && Array.isArray(expected) && actual.length === expected.length) {
    const at = expected.findIndex((each, index) => !isSame(actual[index], each, undefined));
    return `  expected at index ${at}: ${shown(expected[at])}\n  received at index ${at}: ${shown(actual[at])}`;
  }
  return `  expected: ${shown(expected)}\n  received: ${shown(actual)}`;
}

function shown(value: unknown): string {
  const text = value === undefined ? 'undefined' : (JSON.stringify(value, withoutGaps) ?? String(value));
  if (text.length <= MAX_SHOWN_CHARACTERS) return text;
  return `${text.slice(0, MAX_SHOWN_CHARACTERS)}… (${text.length} characters)`;
}

/** JSON has no undefined in an array, no Infinity and no NaN. */
function withoutGaps(_name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => (each === undefined ? 'undefined' : each));
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
