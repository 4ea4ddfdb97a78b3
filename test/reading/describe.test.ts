import { expect, it } from 'vitest';
import { describeType } from '../../src/reading/describe.js';

it.each<[unknown, string]>([
  ['12,50', 'a string'],
  ['', 'a string'],
  [17, 'a number'],
  [true, 'a boolean'],
  [null, 'null'],
  [undefined, 'undefined'],
  [[1, 2], 'an array'],
  [{ id: 1 }, 'an object'],
])('%j is %s', (value, description) => {
  expect(describeType(value)).toBe(description);
});
