import { describe, expect, it } from 'vitest';
import { IssueCollector } from '../../src/reading/issue-collector.js';
import { type Reader, UNUSABLE } from '../../src/reading/reader.js';
import { boolean, id, number, StringReader, string } from '../../src/reading/value-readers.js';

/** The value that a reader returns, and its messages. */
function read(reader: Reader, value: unknown): [unknown, ...string[]] {
  const collector = new IssueCollector();
  const result = reader.read(value, collector);
  return [result, ...collector.take().map(({ message }) => message)];
}

describe('a string', () => {
  it('is converted from a number only if no digits can have been lost', () => {
    const converted = 'expected a string, got a number';
    expect(read(string, 'x')).toEqual(['x']);
    expect(read(string, 17)).toEqual(['17', converted]);
    expect(read(string, 1.5)).toEqual(['1.5', converted]);
    expect(read(id, 17)).toEqual(['17', converted]);
    expect(read(id, 1.5)).toEqual([UNUSABLE]);
    for (const value of [2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, true, {}, []]) {
      expect(read(string, value)).toEqual([UNUSABLE]);
    }
  });

  it('is kept with an issue if its value is unknown or its format is wrong', () => {
    const unit = new StringReader({ values: ['UN', 'KG'] });
    expect(read(unit, 'KG')).toEqual(['KG']);
    expect(read(unit, '8 pieces')).toEqual(['8 pieces', 'is not a value of the standard']);
    const date = new StringReader({ format: 'date' });
    expect(read(date, '2026-01-05')).toEqual(['2026-01-05']);
    expect([unit.accepts('KG'), unit.accepts('8 pieces'), unit.accepts(8)]).toEqual([true, false, false]);
    expect([date.accepts('2026-01-05'), date.accepts('5/1/2026')]).toEqual([true, false]);
    expect(read(date, '5/1/2026')).toEqual(['5/1/2026', 'does not have the format date']);
  });
});

describe('a number', () => {
  it.each([
    ['15.90', 15.9],
    [' 54 ', 54],
    ['-1', -1],
    ['+2', 2],
    ['007', 7],
  ])('is converted from %j', (value, converted) => {
    expect(read(number, value)).toEqual([converted, 'expected a number, got a string']);
  });

  it.each(['', ' ', '0x10', '1e3', '15,90', 'NaN', '.5', '5.', '9'.repeat(400), Number.NaN, true, {}, []])(
    'is not read from %j',
    (value) => {
      expect(read(number, value)).toEqual([UNUSABLE]);
    },
  );
});

describe('a boolean', () => {
  it("is converted from 'true' and 'false' only", () => {
    const converted = 'expected a boolean, got a string';
    expect(read(boolean, false)).toEqual([false]);
    expect(read(boolean, 'true')).toEqual([true, converted]);
    expect(read(boolean, 'false')).toEqual([false, converted]);
    for (const value of ['TRUE', 'yes', '1', 1, 0, {}]) expect(read(boolean, value)).toEqual([UNUSABLE]);
  });
});
