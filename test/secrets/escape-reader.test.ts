import { describe, expect, it } from 'vitest';
import { Budget } from '../../src/secrets/budget.js';
import { EscapeReader } from '../../src/secrets/escape-reader.js';
import { compilePatterns, type Patterns } from '../../src/secrets/patterns.js';

/** What the escapes at the first position stand for, as `character…end`. */
function escapesOf(text: string, secret: string): string[] {
  const part = { text, from: 0, to: text.length };
  const reader = new EscapeReader(part, compilePatterns([secret]) as Patterns, new Budget(text.length));
  for (let at = text.length - 1; at >= 0; at -= 1) if (/[%\\&+]/.test(text.charAt(at))) reader.read(at);
  const { table } = reader;
  const escapes: string[] = [];
  for (let each = table.firstAt(0); each < table.endAt(0); each += 1) {
    const code = table.codeOf(each);
    if (code <= 0x10ffff) escapes.push(`${String.fromCodePoint(code)}…${table.endOf(each)}`);
  }
  return escapes;
}

describe('an EscapeReader', () => {
  it.each([
    ['%41', 'A…3'],
    ['%u0041', 'A…6'],
    ['%C3%A9', 'é…6'],
    ['%E9', 'é…3'],
    ['\\u0041', 'A…6'],
    ['\\u{41}', 'A…6'],
    ['\\x41', 'A…4'],
    ['\\n', '\n…2'],
    ['\\"', '"…2'],
    ['\\\\', '\\…2'],
    ['&amp;', '&…5'],
    ['&amp', '&…4'],
    ['&#65;', 'A…5'],
    ['&#x41;', 'A…6'],
    ['+', ' …1'],
    ['%2541', 'A…5'],
    ['&amp;#65;', 'A…9'],
    ['%5Cu0041', 'A…8'],
  ])('reads %s as %s', (text, expected) => {
    expect(escapesOf(text, 'A "é\n\\&')).toContain(expected);
  });

  it('ignores characters that no secret and no escape contains', () => {
    expect(escapesOf('%3C', 'key')).toEqual([]);
    expect(escapesOf('%C3%A9', 'key')).toEqual([]);
    expect(escapesOf('+', 'key')).toEqual([]);
  });

  it('offers every end of a number without a semicolon', () => {
    expect(escapesOf('&#65', '\x06A')).toEqual(['A…4', '\x06…3']);
  });
});
