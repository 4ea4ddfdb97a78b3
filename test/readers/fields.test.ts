import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { fieldsOf } from '../../.ci/readers/fields.js';
import { bySpec, expected, id, wireObject } from '../../src/schemas/wire.js';

describe('the fields of a schema', () => {
  const schema = wireObject(
    {
      id: id(),
      parentId: expected(id({ identifies: true })),
      name: expected(z.string()),
      note: z.string().optional(),
      status: z.string().default('AVAILABLE'),
      tags: z.array(z.string()).default([]),
      code: bySpec(expected(z.string())),
      days: bySpec(z.array(z.string()).default([])),
    },
    { aliases: { title: 'name', label: 'name', state: 'status' } },
  );

  it('have a presence, a default, who requires them and the other spellings of their key, in the order of the schema', () => {
    expect(
      fieldsOf(schema).map(({ key, presence, fallback, bySpec, aliases }) => [
        key,
        presence,
        fallback,
        bySpec,
        aliases,
      ]),
    ).toEqual([
      ['id', 'required', undefined, false, []],
      ['parentId', 'identifying', undefined, false, []],
      ['name', 'expected', undefined, false, ['title', 'label']],
      ['note', 'optional', undefined, false, []],
      ['status', 'defaulted', 'AVAILABLE', false, ['state']],
      ['tags', 'defaulted', [], false, []],
      ['code', 'expectedBySpec', undefined, true, []],
      ['days', 'defaulted', [], true, []],
    ]);
  });

  it('have the schema of a value that is present', () => {
    expect(fieldsOf(schema).map((field) => field.schema.def.type)).toEqual([
      'string',
      'string',
      'string',
      'string',
      'string',
      'array',
      'string',
      'array',
    ]);
  });
});
