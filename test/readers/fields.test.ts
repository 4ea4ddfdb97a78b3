import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { fieldsOf } from '../../.ci/readers/fields.js';
import { expected, id, wireObject } from '../../src/schemas/wire.js';

describe('the fields of a schema', () => {
  const schema = wireObject(
    {
      id: id(),
      parentId: expected(id({ identifies: true })),
      name: expected(z.string()),
      note: z.string().optional(),
      status: z.string().default('AVAILABLE'),
      tags: z.array(z.string()).default([]),
    },
    { aliases: { title: 'name', label: 'name', state: 'status' } },
  );

  it('have a presence, a default and the other spellings of their key, in the order of the schema', () => {
    expect(
      fieldsOf(schema).map(({ key, presence, fallback, aliases }) => [key, presence, fallback, aliases]),
    ).toEqual([
      ['id', 'required', undefined, []],
      ['parentId', 'identifying', undefined, []],
      ['name', 'expected', undefined, ['title', 'label']],
      ['note', 'optional', undefined, []],
      ['status', 'defaulted', 'AVAILABLE', ['state']],
      ['tags', 'defaulted', [], []],
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
    ]);
  });
});
