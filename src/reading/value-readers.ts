import { FORMATS, type Format, type FormatName } from '../schemas/formats.js';
import type { IssueCollector } from './issue-collector.js';
import { isObject } from './json.js';
import {
  A_BOOLEAN,
  A_NUMBER,
  A_STRING,
  AN_ID,
  AN_OBJECT,
  describeType,
  type Expectation,
  type Reader,
  UNUSABLE,
} from './reader.js';

/** The generated readers import it from here. */
export { isObject };

/** What a string has to be so that it has no issue. */
interface StringRules {
  /** The values that the standard names. */
  readonly values?: readonly string[];
  /** Other names of these, in upper case. They and the values are read in any letter case. */
  readonly spellings?: Readonly<Record<string, string>>;
  readonly format?: FormatName;
  /** A number is converted only if it is a safe integer. */
  readonly isId?: true;
  /** Only the spec requires the format. */
  readonly bySpec?: true;
}

export class StringReader implements Reader {
  readonly expects: Expectation;
  readonly #isId: boolean;
  readonly #bySpec: boolean;
  readonly #values: ReadonlySet<string> | undefined;
  /** The known value that a string in upper case means. */
  readonly #spellings: ReadonlyMap<string, string> | undefined;
  readonly #format: Format | undefined;
  readonly #pattern: RegExp | undefined;
  readonly #wrongFormat: string;

  constructor({ values, spellings, format, isId, bySpec }: StringRules = {}) {
    this.expects = isId ? AN_ID : A_STRING;
    this.#isId = isId === true;
    this.#bySpec = bySpec === true;
    this.#values = values && new Set(values);
    this.#spellings =
      spellings &&
      new Map([
        ...(values ?? []).map((value) => [value.toUpperCase(), value] as const),
        ...Object.entries(spellings),
      ]);
    this.#format = format && FORMATS[format];
    this.#pattern = this.#format?.pattern;
    this.#wrongFormat = `does not have the format ${format}`;
  }

  /** Whether the value is a string without an issue. */
  accepts(value: unknown): boolean {
    return (
      typeof value === 'string' &&
      (this.#values === undefined || this.#values.has(value)) &&
      (this.#pattern === undefined || this.#pattern.test(value))
    );
  }

  read(value: unknown, issues: IssueCollector): unknown {
    let text: string;
    if (typeof value === 'string') text = value;
    else if (typeof value === 'number' && isExact(value, this.#isId)) {
      text = String(value);
      issues.report('coerced', 'expected a string, got a number');
    } else return UNUSABLE;
    if (this.#values?.has(text) === false) {
      const meant = this.#spellings?.get(text.toUpperCase());
      if (meant === undefined) issues.report('unknown_value', 'is not a value of the standard');
      else {
        issues.report('coerced', `another spelling; read as '${meant}'`);
        text = meant;
      }
    }
    if (this.#pattern?.test(text) === false) {
      const isBySpec = this.#bySpec || this.#format?.standard?.test(text);
      issues.report('format', this.#wrongFormat, isBySpec ? 'spec' : 'standard');
    }
    return text;
  }
}

/** A larger integer has lost digits. `1.5` may have been `1.50`: the same number, but another id. */
function isExact(value: number, isId: boolean): boolean {
  return Number.isSafeInteger(value) || (!isId && Number.isFinite(value) && !Number.isInteger(value));
}

export const string = /* @__PURE__ */ new StringReader();

export const id = /* @__PURE__ */ new StringReader({ isId: true });

/** Plain decimals only. JavaScript also converts `''`, `'0x10'` and `'1e3'` to numbers; a price list does not mean that. */
const DECIMAL = /^\s*[+-]?\d+(?:\.\d+)?\s*$/;

export const number: Reader = {
  expects: A_NUMBER,
  read(value, issues) {
    if (typeof value === 'number') return Number.isFinite(value) ? value : UNUSABLE;
    if (typeof value !== 'string' || !DECIMAL.test(value)) return UNUSABLE;
    const converted = Number(value);
    // A string of hundreds of digits overflows to Infinity.
    if (!Number.isFinite(converted)) return UNUSABLE;
    issues.report('coerced', 'expected a number, got a string');
    return converted;
  },
};

export const boolean: Reader = {
  expects: A_BOOLEAN,
  read(value, issues) {
    if (typeof value === 'boolean') return value;
    if (value !== 'true' && value !== 'false') return UNUSABLE;
    issues.report('coerced', 'expected a boolean, got a string');
    return value === 'true';
  },
};

/** An object with any keys. */
export const record: Reader = {
  expects: AN_OBJECT,
  read: (value, issues) => objectOf(value, issues) ?? UNUSABLE,
};

/**
 * The object that a value is or means; undefined if it means none.
 *
 * @param bareKey - the key that a bare number is read into (`15.9` becomes `{value: 15.9}`).
 */
export function objectOf(
  value: unknown,
  issues: IssueCollector,
  bareKey?: string,
): Record<string, unknown> | undefined {
  const isUsual = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isUsual) return value as Record<string, unknown>;
  const object = coerced(value, bareKey);
  if (!isObject(object)) return undefined;
  issues.report('coerced', `expected an object, got ${describeType(value)}`);
  return object;
}

/** The object that another value means: the only element of an array, or the value of `bareKey`. */
function coerced(value: unknown, bareKey: string | undefined): unknown {
  if (Array.isArray(value)) return value.length === 1 ? value[0] : undefined;
  if (bareKey === undefined) return undefined;
  return typeof value === 'number' || (typeof value === 'string' && DECIMAL.test(value))
    ? { [bareKey]: value }
    : undefined;
}
