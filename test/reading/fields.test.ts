import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { describeType, fieldsOf } from '../../src/reading/fields.js';
import { expected, id, wireObject } from '../../src/schemas/wire.js';

describe('the fields of a schema', () => {
  const schema = wireObject(
    {
      id: id(),
      name: expected(z.string()),
      note: z.string().optional(),
      status: z.string().default('AVAILABLE'),
      tags: z.array(z.string()).default([]),
    },
    { aliases: { title: 'name', label: 'name', state: 'status' } },
  );

  it('have a presence, a type and the other spellings of their key, in the order of the schema', () => {
    expect(
      fieldsOf(schema).map(({ key, presence, type, aliases }) => [key, presence, type, aliases]),
    ).toEqual([
      ['id', 'required', 'an id (a string or a safe integer)', []],
      ['name', 'expected', 'a string', ['title', 'label']],
      ['note', 'optional', 'a string', []],
      ['status', 'defaulted', 'a string', ['state']],
      ['tags', 'defaulted', 'an array', []],
    ]);
  });

  it('fall back to their default, or to undefined', () => {
    expect(fieldsOf(schema).map(({ fallback }) => fallback())).toEqual([
      undefined,
      undefined,
      undefined,
      'AVAILABLE',
      [],
    ]);
  });

  it('never share a default array between two documents', () => {
    const tags = fieldsOf(schema)[4];
    expect(tags?.fallback()).not.toBe(tags?.fallback());
  });

  it.each([
    [z.object({}), 'an object'],
    [z.array(z.string()), 'an array'],
    [id(), 'an id (a string or a safe integer)'],
    [z.string(), 'a string'],
    [z.number(), 'a number'],
    [z.boolean(), 'a boolean'],
    [z.unknown(), 'a value'],
  ])('describe their type: %#', (type, description) => {
    expect(describeType(type)).toBe(description);
  });
});
