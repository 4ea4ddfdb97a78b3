import { InvalidResponseError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { lastUpdateAt, readMerchant, ttlMsOf } from '../../src/merchant/read.js';
import { changed, cleanMerchant } from '../schemas/support.js';

describe('reading a merchant document', () => {
  it('says what a value is that is not a merchant document', () => {
    const read = (value: unknown) => () => readMerchant(value, 'lenient');
    expect(read('x')).toThrow('not a merchant document: expected an object, got a string');
    expect(read({ error: 'login' })).toThrow(
      'not a merchant document: an object with none of the keys id, basicInfo, services',
    );
  });

  it('throws on the first issue only with strict validation', () => {
    const document = () => ({ ...cleanMerchant(), TTL: '600' });
    expect(readMerchant(document(), 'lenient').issues).toHaveLength(1);
    expect(() => readMerchant(document(), 'strict')).toThrow(InvalidResponseError);
    expect(() => readMerchant(document(), 'strict')).toThrow(
      'TTL: expected a number, got a string (coerced)',
    );
    expect(readMerchant(cleanMerchant(), 'strict').issues).toEqual([]);
  });

  it('throws on an issue that is only against the spec with the validation strict-spec', () => {
    const document = () => changed(cleanMerchant(), 'items.0.status', undefined);
    expect(readMerchant(document(), 'strict').issues).toMatchObject([{ against: 'spec' }]);
    expect(() => readMerchant(document(), 'strict-spec')).toThrow(
      'items.0.status: absent; read as "AVAILABLE" (defaulted)',
    );
    // The first issue that strict validation does not allow need not be the first of all.
    const late = () => changed(document(), 'availabilities', [null]);
    expect(() => readMerchant(late(), 'strict')).toThrow('availabilities.0: expected an object, got null');
    expect(() => readMerchant(late(), 'strict-spec')).toThrow('items.0.status: absent');
    expect(readMerchant(cleanMerchant(), 'strict-spec').issues).toEqual([]);
  });
});

describe('the TTL', () => {
  it.each([
    [undefined, 500_000],
    [-1, 500_000],
    [499, 500_000],
    [600, 600_000],
    [86_400, 86_400_000],
    [1e9, 86_400_000],
  ])('%s is read as %i ms', (TTL, ms) => {
    expect(ttlMsOf({ ...readMerchant(cleanMerchant(), 'lenient').merchant, TTL })).toBe(ms);
  });
});

describe('lastUpdate', () => {
  it.each<[string | undefined, string | undefined]>([
    ['2026-01-05T12:00:00Z', '2026-01-05T12:00:00.000Z'],
    ['2026-01-05T12:00:00-03:00', '2026-01-05T15:00:00.000Z'],
    ['2026-01-05T12:00:00.5', '2026-01-05T12:00:00.500Z'],
    ['2026-01-05 12:00:00', '2026-01-05T12:00:00.000Z'],
    ['05/01/2026', undefined],
    ['-3', undefined],
    ['2026-13-45T12:00:00Z', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j is read as %j', (lastUpdate, iso) => {
    const at = lastUpdateAt({ ...readMerchant(cleanMerchant(), 'lenient').merchant, lastUpdate });
    expect(at === undefined ? undefined : new Date(at).toISOString()).toBe(iso);
  });
});
