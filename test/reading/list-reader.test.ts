import { describe, expect, it } from 'vitest';
import { required } from '../../src/reading/fields.js';
import { lenientReader } from '../../src/reading/lenient.js';
import { areAll, listOf } from '../../src/reading/list-reader.js';
import { objectOf } from '../../src/reading/object-reader.js';
import { AN_OBJECT, type Reader, UNUSABLE } from '../../src/reading/reader.js';
import { number, StringReader, string } from '../../src/reading/value-readers.js';

const read = lenientReader(listOf(number));

/** Reads an object whose fields are all required. */
function objectReader(fields: Readonly<Record<string, Reader>>): Reader {
  return {
    expects: AN_OBJECT,
    read(value, issues) {
      const object = objectOf(value, issues);
      if (!object) return UNUSABLE;
      for (const [key, reader] of Object.entries(fields)) {
        if (!required(object, object[key], key, reader, issues)) return UNUSABLE;
      }
      return object;
    },
  };
}

function readPeriods(value: unknown) {
  const element = objectReader({ day: string, period: objectReader({ from: number }) });
  return lenientReader(listOf(element, 'period'))(value);
}

it('an array of strings without an issue needs no reading', () => {
  expect(areAll(['a', ''], string)).toBe(true);
  expect(areAll([], string)).toBe(true);
  for (const value of [['a', 1], [null], 'a', { 0: 'a', length: 1 }, undefined]) {
    expect(areAll(value, string)).toBe(false);
  }
  const days = new StringReader({ values: ['MONDAY'] });
  expect([areAll(['MONDAY'], days), areAll(['MONDAY', 'x'], days)]).toEqual([true, false]);
});

describe('the list reader', () => {
  it('returns the same array, without its unusable elements', () => {
    const array = [1, 'x', 2, null, '3', {}];
    const reading = read(array);
    expect(reading.usable && reading.value).toBe(array);
    expect(array).toEqual([1, 2, 3]);
    expect(reading.issues).toEqual([
      { path: [1], code: 'invalid', message: 'expected a number, got a string', against: 'standard' },
      { path: [1], code: 'left_out', message: 'not usable as a number; left out', against: 'sense' },
      { path: [3], code: 'invalid', message: 'expected a number, got null', against: 'standard' },
      { path: [3], code: 'left_out', message: 'not usable as a number; left out', against: 'sense' },
      { path: [4], code: 'coerced', message: 'expected a number, got a string', against: 'standard' },
      { path: [5], code: 'invalid', message: 'expected a number, got an object', against: 'standard' },
      { path: [5], code: 'left_out', message: 'not usable as a number; left out', against: 'sense' },
    ]);
  });

  it('reads another value as an array of that value', () => {
    expect(read(7)).toEqual({
      usable: true,
      value: [7],
      issues: [
        { path: [], code: 'coerced', message: 'expected an array, got a number', against: 'standard' },
      ],
    });
  });

  it('splits an element whose value under the spread key is an array', () => {
    const { issues, ...rest } = readPeriods([
      { day: 'MONDAY', period: [{ from: 1 }, { from: 2 }] },
      { day: 'SUNDAY', period: { from: 3 } },
    ]);
    expect(rest).toEqual({
      usable: true,
      value: [
        { day: 'MONDAY', period: { from: 1 } },
        { day: 'MONDAY', period: { from: 2 } },
        { day: 'SUNDAY', period: { from: 3 } },
      ],
    });
    const message = 'expected one value, got an array; read as one entry per value';
    expect(issues).toEqual([{ path: [0, 'period'], code: 'coerced', message, against: 'standard' }]);
  });

  it('reports issues of split elements at their index in the document', () => {
    const { issues } = readPeriods([
      { day: 'MONDAY', period: [{ from: 1 }, { from: 'x' }] },
      { day: 5, period: { from: 3 } },
    ]);
    expect(issues.map(({ path, code }) => `${path.join('.')} ${code}`)).toEqual([
      '0.period coerced',
      '0.period.from invalid',
      '0 left_out',
      '1.day coerced',
    ]);
  });
});
