import { describe, expect, it } from 'vitest';
import { IssueCollector } from '../../src/reading/issue-collector.js';
import {
  type Reader,
  readBoolean,
  readNumber,
  stringReader,
  UNUSABLE,
} from '../../src/reading/value-readers.js';

/** The value that a reader returns, and its messages. */
function read(reader: Reader, value: unknown): [unknown, ...string[]] {
  const collector = new IssueCollector();
  const result = reader(value, collector);
  return [result, ...collector.take().map(({ message }) => message)];
}

describe('a string', () => {
  it('is converted from a number only if no digits can have been lost', () => {
    const converted = 'expected a string, got a number';
    expect(read(stringReader({}), 'x')).toEqual(['x']);
    expect(read(stringReader({}), 17)).toEqual(['17', converted]);
    expect(read(stringReader({}), 1.5)).toEqual(['1.5', converted]);
    expect(read(stringReader({ isId: true }), 17)).toEqual(['17', converted]);
    expect(read(stringReader({ isId: true }), 1.5)).toEqual([UNUSABLE]);
    for (const value of [2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, true, {}, []]) {
      expect(read(stringReader({}), value)).toEqual([UNUSABLE]);
    }
  });

  it('is kept with an issue if its value is unknown or its format is wrong', () => {
    const unit = stringReader({ values: new Set(['UN', 'KG']) });
    expect(read(unit, 'KG')).toEqual(['KG']);
    expect(read(unit, '8 pieces')).toEqual(['8 pieces', '"8 pieces" is not a value of the standard']);
    const date = stringReader({ format: 'date' });
    expect(read(date, '2026-01-05')).toEqual(['2026-01-05']);
    expect(read(date, '5/1/2026')).toEqual(['5/1/2026', '"5/1/2026" does not have the format date']);
  });
});

describe('a number', () => {
  it.each([
    ['15.90', 15.9],
    [' 54 ', 54],
    ['-1', -1],
    ['+2', 2],
    ['007', 7],
  ])('is converted from %j', (value, number) => {
    expect(read(readNumber, value)).toEqual([number, 'expected a number, got a string']);
  });

  it.each(['', ' ', '0x10', '1e3', '15,90', 'NaN', '.5', '5.', '9'.repeat(400), Number.NaN, true, {}, []])(
    'is not read from %j',
    (value) => {
      expect(read(readNumber, value)).toEqual([UNUSABLE]);
    },
  );
});

describe('a boolean', () => {
  it("is converted from 'true' and 'false' only", () => {
    const converted = 'expected a boolean, got a string';
    expect(read(readBoolean, false)).toEqual([false]);
    expect(read(readBoolean, 'true')).toEqual([true, converted]);
    expect(read(readBoolean, 'false')).toEqual([false, converted]);
    for (const value of ['TRUE', 'yes', '1', 1, 0, {}]) expect(read(readBoolean, value)).toEqual([UNUSABLE]);
  });
});
