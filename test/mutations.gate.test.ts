import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { mutated, mutationsOf, shuffled } from '../.ci/mutations.mjs';

const FILE = 'src/fleet/a.ts';

/** What each mutation makes of one line. */
const changed = (text: string) =>
  mutationsOf(FILE, text).map((mutation) => `${mutation.kind}: ${mutated(text, mutation)}`);

describe('the mutations of a line', () => {
  it.each([
    ['if (a) b = c;', ['condition: if (!(a)) b = c;']],
    ['while (a) b = c;', ['condition: while (!(a)) b = c;']],
    ['a = b ? c : d;', ['condition: a = !(b) ? c : d;']],
    ['a = b < c;', ['comparison: a = b <= c;']],
    ['a = b <= c;', ['comparison: a = b < c;']],
    ['a = b > c;', ['comparison: a = b >= c;']],
    ['a = b >= c;', ['comparison: a = b > c;']],
    ['a = b === c;', ['comparison: a = b !== c;']],
    ['a = b !== c;', ['comparison: a = b === c;']],
    ['a = b || c && d;', ['logic: a = (b && c && d);', 'logic: a = b || (c || d);']],
    ['a = b + c;', ['arithmetic: a = b - c;']],
    ['a -= b;', ['arithmetic: a += b;']],
    ['a = true;', ['boolean: a = false;']],
    ['a = false;', ['boolean: a = true;']],
    ['a = 60_000;', ['number: a = 60001;', 'number: a = 59999;']],
    ['a = 0;', ['number: a = 1;', 'number: a = (-1);']],
    ['a(b);', ['call: ;']],
    ['void a(b);', ['call: ;']],
    ['a = b ?? c;', ['fallback: a = (b)!;']],
    ['a = await b;', ['await: a = (b);']],
    ['await a();', ['call: ;', 'await: (a());']],
    ['a = () => b;', ['return: a = () => (undefined as never);']],
    ['function f() { return a; }', ['return: function f() { return undefined as never; }']],
  ])('%s', (text, expected) => {
    expect(changed(text)).toEqual(expected);
  });

  it.each([
    'type A = true | 1;',
    'interface A { readonly b: 0 }',
    "import { a } from './b.js';",
    'function f() { return undefined; }',
    'class A extends B { constructor() { super(b); } }',
    "a = 'b';",
  ])('are none in %s', (text) => {
    expect(changed(text)).toEqual([]);
  });

  it('keep the syntax, and change one place each, with its line', () => {
    const text =
      'export async function f(a?: number) {\n  if (a && a > 1) await g(a ?? 2);\n  return a;\n}\n';
    const all = mutationsOf(FILE, text);
    expect(new Set(all.map((mutation) => mutated(text, mutation))).size).toBe(all.length);
    expect(new Set(all.map(({ line }) => line))).toEqual(new Set([2, 3]));
    for (const mutation of all) {
      const { diagnostics } = ts.transpileModule(mutated(text, mutation), { reportDiagnostics: true });
      expect(diagnostics).toEqual([]);
      expect(text.slice(mutation.start, mutation.end)).toBe(mutation.before);
    }
  });
});

it('a seed draws the same mutations each time, and another seed others', () => {
  const all = Array.from({ length: 200 }, (_, index) => index);
  expect(shuffled(all, '1')).toEqual(shuffled(all, '1'));
  expect(shuffled(all, '1').slice(0, 20)).not.toEqual(shuffled(all, '2').slice(0, 20));
  expect(shuffled(all, '1').sort((one, other) => one - other)).toEqual(all);
});
