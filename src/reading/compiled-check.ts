import * as z from 'zod';
import { FORMATS, hintsOf } from '../schemas/wire.js';
import { fieldsOf } from './fields.js';

/**
 * Finds the next field that is not simply valid and so has to be read.
 *
 * @param from - index of the first field to look at, in the order of the schema.
 * @returns the index of the field; -1 if all remaining fields are valid.
 */
export type FindInvalid = (object: Record<string, unknown>, from: number) => number;

/** Builds the `FindInvalid` of a schema. */
export type CompileCheck = (schema: z.ZodObject) => FindInvalid;

/** Returns every field as one that has to be read. The results are the same, at eight times the cost. */
export const readEveryField: CompileCheck = (schema) => {
  const count = Object.keys(schema.shape).length;
  return (_object, from) => (from < count ? from : -1);
};

/** Up to this many allowed values are compared one by one; more are looked up in a set. */
const MAX_COMPARED = 8;

const checks = new WeakMap<z.ZodObject, FindInvalid>();

/**
 * Skips valid fields at the cost of one or two comparisons each.
 *
 * Each object schema gets its own generated function: only code that always
 * sees objects of one shape is as fast as `JSON.parse`. The generated code
 * contains nothing of a document. Where the process forbids generated code,
 * every field is read.
 */
export const compileCheck: CompileCheck = (schema) => {
  let check = checks.get(schema);
  if (!check) {
    check = generate(schema) ?? readEveryField(schema);
    checks.set(schema, check);
  }
  return check;
};

function generate(schema: z.ZodObject): FindInvalid | undefined {
  const code = new CodeBuilder();
  const cases = fieldsOf(schema).map(({ key, schema, presence, fallback, aliases }, index) => {
    const tests = [testOf(schema, code)];
    if (presence === 'optional' && aliases.length === 0) tests.unshift('x === undefined');
    // The default is the commonest value, so it is compared first.
    const usual = fallback();
    if (typeof usual === 'string' && isValidString(schema, usual))
      tests.unshift(`x === ${JSON.stringify(usual)}`);
    // Each case falls through to the next one.
    return `case ${index}: x = o[${JSON.stringify(key)}]; if (!(${tests.join(' || ')})) return ${index};`;
  });
  return code.compile(`(o, i) => { let x; switch (i) {\n${cases.join('\n')}\n} return -1; }`);
}

/** Collects the source of a function, with the constants and helper functions that it uses. */
class CodeBuilder {
  readonly #constants: unknown[] = [];
  readonly #functions: string[] = [];

  /** Adds a constant; returns its name in the code. */
  constant(value: unknown): string {
    return `c${this.#constants.push(value) - 1}`;
  }

  /** Adds a function that returns whether the test is true for every element `x` of an array; returns its name. */
  every(test: string): string {
    const loop = `for (let n = 0; n < l.length; n += 1) { const x = l[n]; if (!(${test})) return false; }`;
    const name = `f${this.#functions.length}`;
    this.#functions.push(`const ${name} = (l) => { ${loop} return true; };`);
    return name;
  }

  /** Undefined where the process forbids generated code. */
  compile(expression: string): FindInvalid | undefined {
    const names = this.#constants.map((_, index) => `c${index}`);
    const source = [`'use strict';`, ...this.#functions, `return ${expression};`].join('\n');
    try {
      return new Function(...names, source)(...this.#constants) as FindInvalid;
    } catch {
      return undefined;
    }
  }
}

/** An expression that is true only if `x` is valid and need not be read. */
function testOf(schema: z.ZodType, code: CodeBuilder): string {
  if (schema instanceof z.ZodString) return stringTestOf(schema, code);
  if (schema instanceof z.ZodNumber) return 'Number.isFinite(x)';
  if (schema instanceof z.ZodBoolean) return 'typeof x === "boolean"';
  if (schema instanceof z.ZodObject) {
    const check = code.constant(compileCheck(schema));
    return `typeof x === "object" && x !== null && !Array.isArray(x) && ${check}(x, 0) === -1`;
  }
  if (schema instanceof z.ZodArray) {
    return `Array.isArray(x) && ${code.every(testOf(schema.element as z.ZodType, code))}(x)`;
  }
  return 'false';
}

function stringTestOf(schema: z.ZodString, code: CodeBuilder): string {
  const { values, format } = hintsOf(schema);
  const tests = ['typeof x === "string"'];
  if (values && values.size <= MAX_COMPARED) {
    tests[0] = `(${[...values].map((value) => `x === ${JSON.stringify(value)}`).join(' || ')})`;
  } else if (values) tests.push(`${code.constant(values)}.has(x)`);
  if (format) tests.push(`${code.constant(FORMATS[format])}.test(x)`);
  return tests.join(' && ');
}

function isValidString(schema: z.ZodType, text: string): boolean {
  const { values, format } = hintsOf(schema);
  return (values?.has(text) ?? true) && (!format || FORMATS[format].test(text));
}
