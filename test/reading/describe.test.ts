import { describe, expect, it } from 'vitest';
import { describeValue, QuotingMessages, quote } from '../../src/reading/describe.js';

describe('a value in a message', () => {
  it.each<[unknown, string]>([
    ['12,50', '"12,50"'],
    ['', '""'],
    ['say "hi"\n', '"say \\"hi\\"\\n"'],
    [17, '17'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [true, 'true'],
    [null, 'null'],
    [undefined, 'undefined'],
    [[1, 2], 'an array'],
    [{ id: 1 }, 'an object'],
  ])('%j is described as %s', (value, description) => {
    expect(describeValue(value)).toBe(description);
  });

  it('shows no part of a long string, because half a secret would not be masked', () => {
    expect(quote('x'.repeat(60))).toBe(`"${'x'.repeat(60)}"`);
    expect(quote('x'.repeat(61))).toBe('a string of 61 characters');
    expect(describeValue('x'.repeat(1000))).toBe('a string of 1000 characters');
  });

  it('is quoted in its own message, also after hundreds of other strings', () => {
    const messages = new QuotingMessages('is not a unit');
    for (let round = 0; round < 2; round += 1) {
      for (let unit = 0; unit < 250; unit += 1)
        expect(messages.of(`u${unit}`)).toBe(`"u${unit}" is not a unit`);
    }
  });
});
