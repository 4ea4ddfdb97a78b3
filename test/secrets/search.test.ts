import { describe, expect, it } from 'vitest';
import { Budget } from '../../src/secrets/budget.js';
import { compilePatterns } from '../../src/secrets/patterns.js';
import { Redactor } from '../../src/secrets/redactor.js';
import { findSecrets } from '../../src/secrets/search.js';
import { runs } from '../runs.js';

const JWT = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${'Zm9vYmFyLXRva2Vu'.repeat(40)}.4f-_x`;
const SECRETS: Readonly<Record<string, readonly string[]>> = {
  'of a client': ['s3cr3tKey-9b1deb4d3b7d4bad', 'key_9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d', JWT],
  'full of escapes': ['s3cr&t+/=% "quote\\ é<>\'`日😀~!', '%25%25%25', '\\\\\\\\x', '&#&#&#', '&&&&', '....'],
  'of repeated characters': ['a'.repeat(2000), `${'ab'.repeat(3000)}c`, 'AAAAAAAA'],
};
const UNITS = [
  ...[
    'a',
    'ab',
    '%',
    '%25',
    '%2525',
    '%252525',
    '\\',
    '\\\\\\"',
    '\\u005c',
    '&',
    '&#',
    '&#1',
    '&#0',
    '&amp;',
    '&amp;amp;',
  ],
  ...[
    '&#37;',
    '+',
    'A',
    '\\n',
    '%41',
    '%73',
    '%5C',
    '%5C%5C%22',
    'é',
    '%C3%A9',
    'YWFh',
    '4a',
    '&eacute;',
    '&#112',
    '.',
  ],
  ...[
    '\\u0073',
    '\\\\u0073',
    '%25%32%35',
    's\\',
    'u005c',
    JWT.slice(0, 60),
    's3cr3tKey-9b1deb4d3b7d4ba',
    's3cr&t+/=% "',
  ],
];

/** Characters of a page. */
const LONG = runs(65_536, 4);

function stepsOf(page: string, secrets: readonly string[]): number {
  const patterns = compilePatterns(secrets);
  if (!patterns) return 0;
  const budget = new Budget(page.length);
  try {
    findSecrets(page, patterns, budget);
  } catch {
    return budget.limit;
  }
  return budget.spent;
}

const pageOf = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length));

describe.each(Object.entries(SECRETS))('with secrets %s,', (_name, secrets) => {
  it.each(UNITS)('a long page of %j takes steps in proportion to its length', (unit) => {
    const page = pageOf(unit, LONG);
    const steps = stepsOf(page, secrets);
    expect(steps).toBeLessThanOrEqual(new Budget(page.length).limit);
    expect(steps).toBeLessThanOrEqual(2.1 * stepsOf(pageOf(unit, LONG / 2), secrets) + 1000);
    const redactor = new Redactor();
    for (const secret of secrets) redactor.add(secret);
    const clean = redactor.mask(page + secrets[0]);
    for (const secret of secrets) expect(clean).not.toContain(secret);
  });
});

it('an ordinary page takes one or two steps per character', () => {
  const page = '<p>The order 12345 of store "abc" could not be read; try again, please.</p>\n'.repeat(800);
  expect(stepsOf(page, SECRETS['of a client'] ?? [])).toBeLessThan(1.5 * page.length);
  const escaped = JSON.stringify({ page: encodeURIComponent(page) });
  expect(stepsOf(escaped, SECRETS['of a client'] ?? [])).toBeLessThan(3 * escaped.length);
});
