import { ConfigurationError } from '../errors/index.js';

/** Returns the value if it is valid; throws a `ConfigurationError` that names the option and the remedy if not. */
export type Check<T> = (name: string, value: unknown) => T;

function fail(name: string, remedy: string): never {
  throw new ConfigurationError(name, remedy);
}

export interface NumberRange {
  readonly min: number;
  readonly max?: number;
  readonly integer?: boolean;
  /** Named in the message, such as 'ms'. */
  readonly unit?: string;
  /** Whether `Infinity` is valid too. */
  readonly infinite?: boolean;
}

export function number({
  min,
  max,
  integer = false,
  unit = '',
  infinite = false,
}: NumberRange): Check<number> {
  const kind = integer ? 'a whole number' : 'a number';
  const bounds = `of at least ${min}${max === undefined ? '' : ` and at most ${max}`}`;
  const remedy = `must be ${kind}${unit && ` (${unit})`} ${bounds}${infinite ? ', or Infinity' : ''}`;
  return (name, value) => {
    if (typeof value !== 'number' || Number.isNaN(value)) fail(name, remedy);
    if (value === Number.POSITIVE_INFINITY) return infinite ? value : fail(name, remedy);
    if (value < min || (max !== undefined && value > max)) fail(name, remedy);
    if (integer && !Number.isInteger(value)) fail(name, remedy);
    return value;
  };
}

export function boolean(): Check<boolean> {
  return (name, value) => (typeof value === 'boolean' ? value : fail(name, 'must be true or false'));
}

export function oneOf<const T extends string | number>(...values: readonly T[]): Check<T> {
  const names = values.map((value) => (typeof value === 'string' ? `'${value}'` : value));
  const remedy = `must be ${names.join(' or ')}`;
  return (name, value) => (values.includes(value as T) ? (value as T) : fail(name, remedy));
}

/** Printable ASCII: the characters that a header can carry. */
export const HEADER_SAFE = /^[\x20-\x7e]+$/;

/** A non-empty string without control characters, which can be sent in a header or a URL as it is. */
export function string(description: string, pattern: RegExp = /^[^\p{Cc}]+$/u): Check<string> {
  return (name, value) => {
    if (typeof value !== 'string' || value === '') fail(name, `must be ${description}`);
    if (!pattern.test(value)) {
      const hint = /\p{Cc}/u.test(value)
        ? '; it contains control characters, look for a stray line break'
        : '';
      fail(name, `must be ${description}${hint}`);
    }
    return value;
  };
}

/** A secret: a string, or a function that returns the current one, for secrets that are rotated. */
export type Secret = string | (() => string | Promise<string>);

/**
 * The check of a secret.
 *
 * Blanks around a secret come from copying it. HTTP drops them from a header,
 * so they are dropped here, before the secret is sent, masked or compared.
 */
export function secret(description: string, pattern?: RegExp): Check<Secret> {
  const checkString = string(`${description}, or a function that returns it`, pattern);
  return (name, value) => {
    if (typeof value === 'function') return value as () => string;
    return checkString(name, checkString(name, value).trim());
  };
}

export function listOf<T>(check: Check<T>): Check<readonly T[]> {
  return (name, value) => {
    if (!Array.isArray(value)) fail(name, 'must be an array');
    return Object.freeze(value.map((each: unknown, index) => check(`${name}[${index}]`, each)));
  };
}

export function object<T extends object>(description: string, ...methods: readonly string[]): Check<T> {
  return (name, value) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
      fail(name, `must be ${description}`);
    }
    for (const method of methods) {
      if (typeof Reflect.get(value, method) === 'function') continue;
      const problem = 'then' in value ? 'it is a promise, await it' : `it has no ${method}()`;
      fail(name, `must be ${description}: ${problem}`);
    }
    return value as T;
  };
}

export function functionOf<T extends (...args: never[]) => unknown>(description: string): Check<T> {
  return (name, value) => (typeof value === 'function' ? (value as T) : fail(name, `must be ${description}`));
}

/** Whether it can hold options; which ones, `resolve` checks. */
export const isOptions = (given: unknown): given is object =>
  typeof given === 'object' && given !== null && !Array.isArray(given);

type Checks<T> = { readonly [Key in keyof T]-?: Check<T[Key]> };

/**
 * Merges the given options with their defaults and checks each given one;
 * `undefined` counts as not given.
 *
 * @param prefix - put before each name in messages, such as `retry.`.
 * @throws {ConfigurationError} an option is unknown or invalid.
 */
export function resolve<T extends object>(prefix: string, given: unknown, defaults: T, checks: Checks<T>): T {
  const known = Object.keys(checks);
  if (!isOptions(given)) {
    const name = prefix.replace(/\.$/, '') || 'options';
    fail(name, `must be an object; the options are ${known.join(', ')}`);
  }
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    fail(`${prefix}${key}`, `is not an option; the options are ${known.join(', ')}`);
  }
  const resolved: Record<string, unknown> = Object.assign({} as Record<string, unknown>, defaults);
  for (const key of known) {
    const value: unknown = Reflect.get(given, key);
    if (value === undefined) continue;
    const check = Reflect.get(checks, key) as Check<unknown>;
    resolved[key] = check(`${prefix}${key}`, value);
  }
  return resolved as T;
}
