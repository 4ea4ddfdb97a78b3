import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { eventSchema, merchantSchema, orderSchema, tokenResponseSchema } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { compileCheck, readEveryField } from '../../src/reading/compiled-check.js';
import { lenientReader } from '../../src/reading/lenient.js';
import { hintsOf } from '../../src/schemas/wire.js';
import { programOf } from '../programs.js';
import { completeDocument, placesOf, validString } from './arbitrary.js';

/** Values that real documents have in place of the right one. */
const deviation = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    '',
    '15.90',
    7,
    -0,
    Number.POSITIVE_INFINITY,
    true,
    'true',
    [],
    {},
    [null],
    [{}],
  ),
  fc.constantFrom('8 pieces', '17:00:00.000Z', '2026-05-04', 'BRL', 'AVAILABLE', 'constructor'),
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('wrapped', 'unwrapped', 'twice', 'renamed').map((how) => ({ how })),
);

/** Puts a deviation into a place; some are made from the present value. */
function deviate(
  { parent, key }: { parent: Record<string, unknown>; key: string },
  by: unknown,
  name: string,
) {
  const was = parent[key];
  const how = typeof by === 'object' && by !== null && 'how' in by ? by.how : undefined;
  if (how === 'wrapped') parent[key] = [was];
  else if (how === 'unwrapped') parent[key] = Array.isArray(was) ? was[0] : was;
  else if (how === 'twice') parent[key] = [was, structuredClone(was)];
  else if (how === 'renamed' || by === undefined) delete parent[key];
  else parent[key] = structuredClone(by);
  if (how === 'renamed') parent[name] = was;
}

describe.each<[string, z.ZodType]>([
  ['a merchant', merchantSchema],
  ['an order', orderSchema],
  ['an event', eventSchema],
  ['a token', tokenResponseSchema],
])('%s', (_name, schema) => {
  const read = lenientReader(schema);
  const readAll = lenientReader(schema, [], readEveryField);
  const aliases = fc.constantFrom(
    ...Object.keys(hintsOf(schema).aliases ?? {}),
    'price',
    'table',
    'streetName',
  );
  const changes = fc.array(fc.tuple(fc.nat(), deviation, aliases), { maxLength: 4 });

  it('is read to the same document with the same issues, whether or not valid fields are skipped', () => {
    fc.assert(
      fc.property(completeDocument(schema, validString), changes, (valid, list) => {
        const document = structuredClone(valid);
        for (const [place, by, alias] of list) {
          const places = placesOf(document);
          const chosen = places[place % places.length];
          if (chosen) deviate(chosen, by, alias);
        }
        const other = structuredClone(document);
        const [fast, slow] = [read(document), readAll(other)];
        expect(fast.issues).toEqual(slow.issues);
        expect(fast.usable).toBe(slow.usable);
        // Compares the results and the documents that were changed in place, including the order of keys.
        expect(JSON.stringify([fast, document])).toBe(JSON.stringify([slow, other]));
      }),
      { numRuns: 400 },
    );
  });

  it('has no field to read if the document is valid', () => {
    const findInvalid = compileCheck(schema as z.ZodObject);
    fc.assert(
      fc.property(completeDocument(schema, validString), (valid) => {
        const document = structuredClone(valid);
        expect(readAll(structuredClone(document)).issues).toEqual([]);
        // A free-form record is always read; only events have one.
        delete (document as Record<string, unknown>).metadata;
        expect(findInvalid(document as Record<string, unknown>, 0)).toBe(-1);
      }),
      { numRuns: 50 },
    );
  });
});

it('reads a document the same way in a process that forbids generated code', () => {
  const script = `
    import { readFileSync } from 'node:fs';
    import { merchantSchema } from ${JSON.stringify(programOf('src/schemas/merchant.ts'))};
    import { lenientReader } from ${JSON.stringify(programOf('src/reading/lenient.ts'))};
    let forbidden = false;
    try { new Function(''); } catch { forbidden = true; }
    const reading = lenientReader(merchantSchema)(JSON.parse(readFileSync('test/fixtures/own-merchant.json', 'utf8')));
    console.log(JSON.stringify([forbidden, reading.usable, reading.issues.map(({ path, code }) => path.join('.') + ' ' + code)]));`;
  const flags = ['--disallow-code-generation-from-strings', '--input-type=module', '-e', script];
  const [forbidden, usable, issues] = JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8' }));
  expect([forbidden, usable]).toEqual([true, true]);
  expect(issues).toHaveLength(34);
});
