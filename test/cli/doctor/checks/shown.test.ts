import { expect, it } from 'vitest';
import { issuesVerdict, shownMediaType, shownNumber } from '../../../../src/cli/doctor/checks/shown.js';

const issue = { code: 'missing', message: 'the phone of Maria is missing', against: 'standard' } as const;

it('shows the place of an issue, but no key that may be a value', () => {
  const verdict = issuesVerdict(
    [
      { ...issue, path: ['customer', 'Maria Silva', 3] },
      { ...issue, path: ['customer', '11987654321', 4] },
      { ...issue, path: [], code: 'a_new_code' },
    ],
    'the order',
  );
  expect(verdict).toEqual({
    result: 'differs',
    did: [
      'customer.*.* is missing (against the standard), 2 times',
      'the document deviates (against the standard)',
    ],
  });
});

it('lists at most twelve kinds of issues, the most frequent first', () => {
  const issues = 'abcdefghijklmn'.split('').map((key) => ({ ...issue, path: [key] }));
  const { did } = issuesVerdict([...issues, { ...issue, path: ['n'] }], 'the order');
  expect(did).toHaveLength(13);
  expect(did[0]).toBe('n is missing (against the standard), 2 times');
  expect(did[12]).toBe('and 2 more kinds');
});

it.each([
  [604_800, '604800'],
  ['604800', '"604800"'],
  ['5511987654321', 'a number of 13 characters'],
  [1_767_614_403_000, 'a number of 13 characters'],
  [1.5, 'a number of 3 characters'],
  ['soon', 'a string that is not a number'],
  ['Mon, 05 Jan 2026 13:00:03 GMT', 'a date'],
  [null, 'null'],
  [undefined, 'nothing'],
  [[1], 'an array'],
  [{}, 'an object'],
])('shows %j as %s', (value, shown) => {
  expect(shownNumber(value)).toBe(shown);
});

it.each([
  ['application/json; charset=utf-8', 'application/json'],
  ['Text/HTML', 'text/html'],
  ['application/x-maria', 'another content type'],
  [undefined, 'no content type'],
])('shows the content type %j as %s', (header, shown) => {
  expect(shownMediaType(header)).toBe(shown);
});
