import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ReaderGenerator } from '../../.ci/readers/generator.js';
import { bySpec, expected, formatted, wireObject } from '../../src/schemas/wire.js';

const generate = (schemas: Readonly<Record<string, z.ZodType>>) =>
  Object.fromEntries(
    new ReaderGenerator(new Map()).generate(
      Object.entries(schemas).map(([name, schema]) => ({ name, schema, many: 'documents' })),
    ),
  );

describe('the generated readers', () => {
  it('of two documents share what both need, in a file of its own', () => {
    const price = wireObject({ currency: expected(formatted('currency')) });
    const files = generate({
      one: wireObject({ price }),
      other: wireObject({ price, at: formatted('date') }),
    });
    expect(Object.keys(files).sort()).toEqual(['one', 'other', 'shared']);
    expect(files.shared).toContain('export const onePrice');
    expect(files.shared).toContain('export const currency');
    expect(files.other).toContain("import { isOnePrice, onePrice } from './shared.js';");
    expect(files.other).toContain('\nconst date =');
  });

  it('have unique names, also beside the functions that they call', () => {
    const { document = '' } = generate({
      document: wireObject({
        a: wireObject({ bC: wireObject({}) }),
        aB: wireObject({ c: wireObject({}) }),
      }),
    });
    expect(document).toContain('const documentABC:');
    expect(document).toContain('const documentABC2:');
    expect(generate({ string: wireObject({}) }).string).toContain('const string2: Reader');
  });

  it('report the absence of a field that only the spec requires as against the spec', () => {
    const { document = '' } = generate({
      document: wireObject({
        a: bySpec(expected(z.number())),
        b: bySpec(z.array(z.number()).default([])),
        c: bySpec(formatted('date')),
      }),
    });
    expect(document).toContain('expectedBySpec(o, x, "a", number, issues)');
    expect(document).toContain("defaultArrayBySpec = /* @__PURE__ */ defaultOf([], 'spec')");
    expect(document).toContain(
      'dateBySpec = /* @__PURE__ */ new StringReader({"format":"date","bySpec":true})',
    );
  });

  it('exist only for the kinds of schemas that documents have', () => {
    expect(() => generate({ document: wireObject({ id: z.union([z.string(), z.number()]) }) })).toThrow(
      'no reader for ZodUnion',
    );
  });
});
