import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeHead, decodeValue, encodeValue, HEAD_BYTES } from '../../../src/state/file/value-format.js';
import { anyCharacter } from '../../strings.js';

const expiry = { until: 2000, forMs: 1000 };

describe('the content of a value file', () => {
  it('has the same key, value and expiry after encoding and decoding', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (key, value) => {
        expect(decodeValue(encodeValue(key, value, expiry).join(''))).toMatchObject({
          key,
          value,
          ...expiry,
        });
      }),
    );
  });

  it('is not decoded when it is cut anywhere', () => {
    const content = encodeValue('k', 'value', expiry).join('');
    // Only the last newline carries nothing: `decodeValue` drops one character at the end.
    for (let length = 0; length < content.length - 1; length += 1)
      expect(decodeValue(content.slice(0, length))).toBeUndefined();
  });

  it('is not decoded when the value was changed', () => {
    const content = encodeValue('k', 'value', expiry).join('');
    expect(decodeValue(content.replace('"value"\n', '"eulav"\n'))).toBeUndefined();
  });

  it.each(['', '\n', 'null\n', '[]\n', '{"version":2}\n', '{"version":1,"key":"k","until":"x"}\n'])(
    'has no head in %j',
    (content) => expect(decodeHead(content)).toBeUndefined(),
  );

  it('has a head that fits into the bytes that are read of it', () => {
    const [head = ''] = encodeValue(`merchant:${'f'.repeat(64)}`, 'x'.repeat(10_000), {
      until: Number.MAX_SAFE_INTEGER,
      forMs: Number.MAX_SAFE_INTEGER,
    });
    expect(head.length).toBeLessThan(HEAD_BYTES);
    expect(decodeHead(head)).toMatchObject({ forMs: Number.MAX_SAFE_INTEGER });
  });
});
