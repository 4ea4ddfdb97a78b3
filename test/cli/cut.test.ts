import { expect, it } from 'vitest';
import { cut } from '../../src/cli/cut.js';
import { paint, styled } from '../../src/cli/styled.js';

it('keeps a line that fits', () => {
  const line = styled`${paint('red', 'three')} words fit`;
  expect(cut(line, 15)).toBe(line);
});

it('ends a line that does not fit with an ellipsis, and counts an emoji once', () => {
  expect(String(cut(styled`${paint('red', 'three')} words`, 8))).toBe('three w…');
  expect(String(cut(styled`🍕🍕🍕`, 2))).toBe('🍕…');
});
