import * as z from 'zod';
import { FORMATS, hintsOf } from '../schemas/wire.js';
import { fieldsOf } from './fields.js';

/**
 * Gives the index of the first field, from one on, that is not simply right
 * and has to be read; -1 where there is none.
 */
export type NextDeviation = (object: Record<string, unknown>, from: number) => number;

/** A schema to its `NextDeviation`. */
export type Decide = (schema: z.ZodObject) => NextDeviation;

/** Every field has to be read: right as well, at eight times the cost. */
export const readEveryField: Decide = (schema) => {
  const count = Object.keys(schema.shape).length;
  return (_object, from) => (from < count ? from : -1);
};

/** So many values are compared one by one; of more a set is asked. */
const FEW = 8;

const nexts = new WeakMap<z.ZodObject, NextDeviation>();

/**
 * Skips the fields that are right, at the cost of a comparison or two each.
 *
 * A function of its own is generated for every object of the schema: only code
 * that sees objects of one kind keeps up with their parsing. Nothing of a
 * document gets into its text. Where the process forbids generated code every
 * field is read.
 */
export const skipRightFields: Decide = (schema) => {
  let next = nexts.get(schema);
  if (!next) {
    next = generate(schema) ?? readEveryField(schema);
    nexts.set(schema, next);
  }
  return next;
};

function generate(schema: z.ZodObject): NextDeviation | undefined {
  const code = new Code();
  const cases = fieldsOf(schema).map(({ key, schema, presence, fallback, aliases }, index) => {
    const tests = [testOf(schema, code)];
    if (presence === 'optional' && aliases.length === 0) tests.unshift('x === undefined');
    // The value most entries have, looked at first.
    const usual = fallback();
    if (typeof usual === 'string' && isRightText(schema, usual))
      tests.unshift(`x === ${JSON.stringify(usual)}`);
    // Each case goes on with the next one.
    return `case ${index}: x = o[${JSON.stringify(key)}]; if (!(${tests.join(' || ')})) return ${index};`;
  });
  return code.compile(`(o, i) => { let x; switch (i) {\n${cases.join('\n')}\n} return -1; }`);
}

/** The text of a function, with what it refers to. */
class Code {
  readonly #constants: unknown[] = [];
  readonly #functions: string[] = [];

  /** Gives the name under which the text has a value. */
  constant(value: unknown): string {
    return `c${this.#constants.push(value) - 1}`;
  }

  /** Gives the name of a function of one list, true where the test is true of each `x` in it. */
  each(test: string): string {
    const loop = `for (let n = 0; n < l.length; n += 1) { const x = l[n]; if (!(${test})) return false; }`;
    const name = `f${this.#functions.length}`;
    this.#functions.push(`const ${name} = (l) => { ${loop} return true; };`);
    return name;
  }

  /** Undefined where the process forbids it. */
  compile(expression: string): NextDeviation | undefined {
    const names = this.#constants.map((_, index) => `c${index}`);
    const text = [`'use strict';`, ...this.#functions, `return ${expression};`].join('\n');
    try {
      return new Function(...names, text)(...this.#constants) as NextDeviation;
    } catch {
      return undefined;
    }
  }
}

/** An expression that is true only of an `x` that needs no reading. */
function testOf(schema: z.ZodType, code: Code): string {
  if (schema instanceof z.ZodString) return textTestOf(schema, code);
  if (schema instanceof z.ZodNumber) return 'Number.isFinite(x)';
  if (schema instanceof z.ZodBoolean) return 'typeof x === "boolean"';
  if (schema instanceof z.ZodObject) {
    const next = code.constant(skipRightFields(schema));
    return `typeof x === "object" && x !== null && !Array.isArray(x) && ${next}(x, 0) === -1`;
  }
  if (schema instanceof z.ZodArray) {
    return `Array.isArray(x) && ${code.each(testOf(schema.element as z.ZodType, code))}(x)`;
  }
  return 'false';
}

function textTestOf(schema: z.ZodString, code: Code): string {
  const { values, format } = hintsOf(schema);
  const tests = ['typeof x === "string"'];
  if (values && values.size <= FEW) {
    tests[0] = `(${[...values].map((value) => `x === ${JSON.stringify(value)}`).join(' || ')})`;
  } else if (values) tests.push(`${code.constant(values)}.has(x)`);
  if (format) tests.push(`${code.constant(FORMATS[format])}.test(x)`);
  return tests.join(' && ');
}

function isRightText(schema: z.ZodType, text: string): boolean {
  const { values, format } = hintsOf(schema);
  return (values?.has(text) ?? true) && (!format || FORMATS[format].test(text));
}
