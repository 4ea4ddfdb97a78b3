import { ConfigurationError } from './errors.js';

/** Looks at one option and gives it back; throws a `ConfigurationError` that names it and the remedy. */
export type Check<T> = (name: string, value: unknown) => T;

function fail(name: string, remedy: string): never {
  throw new ConfigurationError(name, remedy);
}

export interface Range {
  readonly min: number;
  readonly max?: number;
  readonly integer?: boolean;
  readonly unit?: string;
  readonly infinite?: boolean;
}

export function number({ min, max, integer = false, unit = '', infinite = false }: Range): Check<number> {
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

export function oneOf<const T extends string>(...values: readonly T[]): Check<T> {
  const remedy = `must be ${values.map((value) => `'${value}'`).join(' or ')}`;
  return (name, value) => (values.includes(value as T) ? (value as T) : fail(name, remedy));
}

/** A text that can stand in a header or a URL as it is: not empty, no control characters. */
export function text(what: string, pattern: RegExp = /^[^\p{Cc}]+$/u): Check<string> {
  return (name, value) => {
    if (typeof value !== 'string' || value === '') fail(name, `must be ${what}`);
    if (!pattern.test(value) || /\p{Cc}/u.test(value)) {
      fail(name, `must be ${what}; it holds characters that cannot be sent, look for a stray line break`);
    }
    return value;
  };
}

/**
 * A secret, or a function that gives one when it is needed.
 *
 * Blanks around a secret come from copying it. HTTP drops them from a header,
 * so they are dropped here, before the secret is sent, masked or compared.
 */
export function secret(what: string, pattern?: RegExp): Check<string | (() => string | Promise<string>)> {
  const plain = text(`${what}, or a function that gives it`, pattern);
  return (name, value) => {
    if (typeof value === 'function') return value as () => string;
    return plain(name, plain(name, value).trim());
  };
}

/** Printable ASCII, which is what a header can carry. */
export const HEADER_SAFE = /^[\x20-\x7e]+$/;

export function object<T extends object>(what: string, ...methods: readonly string[]): Check<T> {
  return (name, value) => {
    const given = (typeof value === 'object' || typeof value === 'function') && value !== null;
    if (!given) fail(name, `must be ${what}`);
    for (const method of methods) {
      if (typeof Reflect.get(value, method) !== 'function')
        fail(
          name,
          'then' in value
            ? `must be ${what}: it is a promise, await it`
            : `must be ${what}: it has no ${method}()`,
        );
    }
    return value as T;
  };
}

export function functionOf<T extends (...args: never[]) => unknown>(what: string): Check<T> {
  return (name, value) => (typeof value === 'function' ? (value as T) : fail(name, `must be ${what}`));
}

/**
 * The given options over the defaults, each looked at, nested ones merged.
 *
 * @throws {ConfigurationError} an option is unknown or wrong.
 */
export function resolve<T extends object>(
  prefix: string,
  given: unknown,
  defaults: T,
  checks: { readonly [Key in keyof T]-?: Check<T[Key]> },
): T {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    fail(prefix.replace(/\.$/, '') || 'options', 'must be an object');
  }
  const known = Object.keys(checks);
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

/** A group of options with defaults of its own. */
export function group<T extends object>(
  defaults: T,
  checks: { readonly [Key in keyof T]-?: Check<T[Key]> },
): Check<T> {
  return (name, value) => resolve(`${name}.`, value, defaults, checks);
}
