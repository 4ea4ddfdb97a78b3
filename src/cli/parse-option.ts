import { InvalidArgumentError, Option } from 'commander';

type Parse = (text: string) => unknown;

/** An option whose value is parsed, with its default if it has one. */
export function parsedOption(
  flags: string,
  description: string,
  parse: Parse,
  defaultValue?: unknown,
): Option {
  const option = new Option(flags, description).argParser(parse);
  return defaultValue === undefined ? option : option.default(defaultValue);
}

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
