import { expect, it } from 'vitest';
import { number, oneOf, resolve } from '../src/option-checks.js';
import { checksOf, defaultsOf, option, optionGroup, required, withoutDefault } from '../src/option-table.js';

const TABLE = {
  limit: option(10, number({ min: 1 })),
  unit: withoutDefault(oneOf('ms', 's')),
  name: required(oneOf('a', 'b')),
  retry: optionGroup<{ attempts: number; waitMs: number }>({
    attempts: option(4, number({ min: 1 })),
    waitMs: option(100, number({ min: 0 })),
  }),
};

const resolveTable = (given: object) => resolve('', given, defaultsOf(TABLE), checksOf(TABLE));

it('a table gives every option its default', () => {
  expect(resolveTable({})).toEqual({
    limit: 10,
    unit: undefined,
    name: undefined,
    retry: { attempts: 4, waitMs: 100 },
  });
  expect(Object.isFrozen(defaultsOf(TABLE))).toBe(true);
});

it('a table checks every given option, and merges a group with its defaults', () => {
  expect(resolveTable({ limit: 2, name: 'b', retry: { waitMs: 0 } })).toEqual({
    limit: 2,
    unit: undefined,
    name: 'b',
    retry: { attempts: 4, waitMs: 0 },
  });
  expect(() => resolveTable({ limit: 0 })).toThrow('limit: must be a number of at least 1');
  expect(() => resolveTable({ retry: { attempts: 0 } })).toThrow('retry.attempts: must be a number');
  expect(() => resolveTable({ retry: { attempt: 1 } })).toThrow(
    'retry.attempt: is not an option; the options are attempts, waitMs',
  );
  expect(() => resolveTable({ retry: 5 })).toThrow(
    'retry: must be an object; the options are attempts, waitMs',
  );
});
