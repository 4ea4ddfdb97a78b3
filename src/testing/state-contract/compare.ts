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

/** A value for an error message. Strings of megabytes and results with thousands of marks are cut. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'undefined' : (JSON.stringify(value, showUndefined) ?? String(value));
  if (text.length <= MAX_SHOWN_CHARACTERS) return text;
  return `${text.slice(0, MAX_SHOWN_CHARACTERS)}… (${text.length} characters)`;
}

/** JSON has no undefined, no Infinity and no NaN. */
function showUndefined(_name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => (each === undefined ? 'undefined' : each));
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
