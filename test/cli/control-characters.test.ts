import { expect, it } from 'vitest';
import { escapeControl, stripControl } from '../../src/cli/control-characters.js';

it.each([
  ['a\u001b[31mb', 'a\ufffd[31mb'],
  ['a\r\nb\tc', 'a  b c'],
  ['a\u202eb\u200bc', 'a\ufffdb\ufffdc'],
  ['a\ud800b', 'a\ufffdb'],
  ['👨\u200d👩', '👨\u200d👩'],
])('replaces control characters: %j', (text, stripped) => {
  expect(stripControl(text)).toBe(stripped);
});

it('escapes control characters in JSON, and keeps its line breaks', () => {
  const value = { a: '\u202e\u2028\ud800 \u{e0001}' };
  const escaped = escapeControl(JSON.stringify(value, undefined, 2));
  expect(escaped).not.toMatch(/[\u2028\u202e]|\p{Cs}|\u{e0001}/u);
  expect(escaped).toContain('\n');
  expect(JSON.parse(escaped)).toEqual(value);
});
