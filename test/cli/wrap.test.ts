import { expect, it } from 'vitest';
import { paint, Styled, styled } from '../../src/cli/styled.js';
import { wrap } from '../../src/cli/wrap.js';

const plain = (text: string) => new Styled([{ text }]);
const wrapped = (line: Styled, columns: number) => wrap(line, columns).map(String);

it('wraps between words, and indents continuation lines by two more spaces', () => {
  expect(wrapped(plain('  one two three four'), 12)).toEqual(['  one two', '    three', '    four']);
});

it('leaves a line that fits', () => {
  expect(wrapped(plain('exactly ten'), 11)).toEqual(['exactly ten']);
});

it('never breaks a word', () => {
  expect(wrapped(plain('see https://hub.example/opendelivery b'), 10)).toEqual([
    'see',
    '  https://hub.example/opendelivery',
    '  b',
  ]);
});

it('keeps a colon on the line of its word, and every part its colour', () => {
  const lines = wrap(styled`see ${paint('red', 'error')}: details`, 12);
  expect(lines.map(String)).toEqual(['see error:', '  details']);
  expect(lines[0]?.parts).toContainEqual({ text: 'error', colour: 'red' });
});
