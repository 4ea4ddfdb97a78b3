import { InvalidArgumentError } from 'commander';

/** @param expected - what the value must be, for the error. */
export const numberFrom = (expected: string, isValid: (value: number) => boolean) => (text: string) => {
  const value = Number(text);
  if (text.trim() !== '' && isValid(value)) return value;
  throw new InvalidArgumentError(`It must be ${expected}.`);
};

export const integerFrom = (min: number, max: number, what = 'a whole number') =>
  numberFrom(
    `${what} from ${min} to ${max}`,
    (value) => Number.isInteger(value) && value >= min && value <= max,
  );

/** @param example - for the error. */
export const addressFrom = (example: string) => (text: string) => {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError(`It must be an address (http or https) such as ${example}.`);
};

/** Runs a check of an option on a value; its error becomes one of the option parser. @param subject - begins it. */
export function checked<Value>(
  subject: string,
  check: (name: string, value: unknown) => Value,
  value: unknown,
): Value {
  try {
    return check('', value);
  } catch (error) {
    // Without the name, which the option parser adds, and without the unit, which the help gives.
    const remedy = (error as Error).message.replace(/^\W*/, '').replace(/ \(.*?\)/, '');
    throw new InvalidArgumentError(`${subject} ${remedy}.`);
  }
}
