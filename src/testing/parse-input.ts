import type * as z from 'zod';

/** More of them help nobody. */
const MAX_MISTAKES = 10;

/**
 * Parses JSON that a programmer wrote.
 *
 * @param fail - makes the error; `mistakes` has a sentence for each of the first ten mistakes, with its path and the
 *   remedy. Default: a TypeError.
 * @throws what `fail` returns.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  fail = (mistakes: string): Error => new TypeError(mistakes),
): z.output<Schema> {
  const result = schema.safeParse(input, { error: remedyOf });
  if (result.success) return result.data;
  const mistakes = result.error.issues.flatMap((issue) => sentencesOf(issue, []));
  const more = mistakes.splice(MAX_MISTAKES).length;
  throw fail([...mistakes, ...(more > 0 ? [`There are ${more} more mistakes`] : [])].join('. '));
}

type Path = readonly PropertyKey[];

function sentencesOf(issue: z.core.$ZodIssue, parent: Path): string[] {
  const path = [...parent, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => sentence([...path, key], issue.message));
  }
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.find((alternative) => !alternative.every(isOfOtherType));
    if (meant) return meant.flatMap((each) => sentencesOf(each, path));
  }
  return [sentence(path, issue.message)];
}

/** The alternative of a union is of another type than the input. */
const isOfOtherType = ({ code, path }: z.core.$ZodIssue) => code === 'invalid_type' && path.length === 0;

function sentence(path: Path, remedy: string): string {
  let place = '';
  for (const key of path) {
    if (typeof key === 'number') place += `[${key}]`;
    else place += place === '' ? String(key) : `.${String(key)}`;
  }
  return place === '' ? remedy : `${place}: ${remedy}`;
}

/** What is wrong and what to pass instead. Never quotes a string that may be a secret. */
function remedyOf(issue: z.core.$ZodRawIssue): string {
  const { input } = issue;
  switch (issue.code) {
    case 'invalid_type':
      return mustBe(nounOf(issue.expected, issue.inst), input);
    case 'invalid_value':
      return mustBe(oneOf(issue.values), input, quoted(input));
    case 'invalid_union': {
      if (!Array.isArray(issue.options)) {
        const nouns = issue.errors.map(([first]) => nounOf(Reflect.get(Object(first), 'expected')));
        return mustBe(listed(nouns), input);
      }
      const given: unknown = Reflect.get(Object(input), String(issue.discriminator));
      return mustBe(oneOf(issue.options), given, quoted(given));
    }
    case 'unrecognized_keys': {
      const known = Object.keys(Reflect.get(Object(issue.inst), 'shape') as object);
      return `is not a known key; ${known.length === 0 ? 'remove it' : `the keys are ${known.join(', ')}`}`;
    }
    case 'too_small':
      if (issue.origin === 'string') return 'must be a non-empty string';
      if (issue.origin === 'array') return `must have at least ${issue.minimum} entry`;
      return mustBe(`at least ${issue.minimum}`, input, String(input));
    case 'too_big':
      if (issue.origin === 'array') return `must have at most ${issue.maximum} entries`;
      return mustBe(`at most ${issue.maximum}`, input, String(input));
    case 'invalid_format':
      if (issue.format in FORMATS) return mustBe(FORMATS[issue.format] as string, input, quoted(input));
      return 'must be a string without control characters; look for a stray line break';
    default:
      return 'is invalid';
  }
}

function mustBe(expected: string, input: unknown, given = kindOf(input)): string {
  return input === undefined ? `is missing; it must be ${expected}` : `must be ${expected}; it is ${given}`;
}

const FORMATS: Readonly<Record<string, string>> = {
  datetime: "an ISO 8601 date-time with its offset, such as '2026-01-05T12:00:00Z'",
  guid: 'a UUID',
  url: "an address such as 'http://127.0.0.1:3000'",
};

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  object: 'an object',
  record: 'an object',
  array: 'an array',
};

function nounOf(expected: unknown, schema?: unknown): string {
  if (expected === 'string' && Reflect.get(Object(schema), 'minLength') === 1) return 'a non-empty string';
  return expected === 'boolean' ? 'true or false' : (NOUNS[String(expected)] ?? String(expected));
}

function kindOf(input: unknown): string {
  if (input === null) return 'null';
  if (Array.isArray(input)) return 'an array';
  if (typeof input === 'number' && !Number.isInteger(input)) return String(input);
  return NOUNS[typeof input] ?? String(input);
}

const quoted = (input: unknown) =>
  typeof input === 'string' && input.length <= 60 ? `'${input}'` : kindOf(input);

function oneOf(values: readonly unknown[]): string {
  const names = values.filter((value) => value !== undefined).map((value) => `'${String(value)}'`);
  return names.length > 2 ? `one of ${names.join(', ')}` : listed(names);
}

function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${last}` : last;
}
