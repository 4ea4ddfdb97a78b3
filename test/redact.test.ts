import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redactor } from '../src/redact.js';

describe('Redactor', () => {
  it('takes a pathological page in its stride', () => {
    // Unbounded patterns took seconds to minutes for these, and the process with them.
    const redactor = new Redactor();
    for (const secret of [
      'mock-client-secret',
      's\\\\\\\\x',
      '\\',
      'a'.repeat(2000),
      '&&&&',
      '%25%25',
      '....',
    ]) {
      redactor.add(secret);
    }
    for (const unit of ['\\', 's\\', '&', '&#', '%', '%25', 'a', '.', '\\u', '&#0', 'u005c', '\\\\\\\\']) {
      const page = unit.repeat(Math.ceil(65_536 / unit.length));
      expect(typeof redactor.text(page)).toBe('string');
    }
  });

  it('leaves no secret in any text that holds it, in any mixture of encoders', () => {
    const encoders = [
      (text: string) => text,
      encodeURIComponent,
      (text: string) => new URLSearchParams({ s: text }).toString().slice(2),
      (text: string) => JSON.stringify(text).slice(1, -1),
      (text: string) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
      (text: string) => Buffer.from(text).toString('base64'),
      (text: string) => Buffer.from(`id:${text}`).toString('base64url'),
    ];
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme-ascii', minLength: 6, maxLength: 40 }),
        fc.string(),
        fc.nat(encoders.length - 1),
        (secret, around, which) => {
          fc.pre(/\S{6}/.test(secret));
          const redactor = new Redactor();
          redactor.add(secret);
          const spelt = encoders[which]?.(secret) ?? '';
          const clean = redactor.text(`${around}"${spelt}"${around}`);
          expect(clean).toContain('[secret]');
          if (which < 5) expect(clean.replaceAll(around, '')).not.toContain(spelt);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('never forgets what the application has given, whatever tokens come and go', () => {
    const redactor = new Redactor();
    redactor.add('the-api-key');
    for (let token = 0; token < 100; token += 1) redactor.addPassing(`token-number-${token}`);
    expect(redactor.text('the-api-key token-number-99 token-number-0')).toBe(
      '[secret] [secret] token-number-0',
    );
  });
});
