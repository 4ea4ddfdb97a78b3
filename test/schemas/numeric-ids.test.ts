import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lenientReader } from '../../src/reading/fields.js';
import { event } from '../../src/reading/generated/event.js';
import { polled } from '../answered.js';
import { runs } from '../runs.js';
import { stage } from '../support.js';
import { at, COLLECTIONS, cleanMerchant, cleanOrder, merchantWith, orderWith } from './support.js';

/** Above 2^53, JSON.parse rounds: the first two become the same JavaScript number. */
const INEXACT = ['9007199254740993', '9007199254740992', '-9007199254740993', '1e21', '1e300', '1.5', '0.1'];

const readEvent = lenientReader(event);

const eventText = (eventId: string, orderId: string) =>
  `{"eventId":${eventId},"orderId":${orderId},"eventType":"CREATED","createdAt":"2026-05-04T03:02:01Z","orderURL":"u"}`;

describe('a number that is not a safe integer, in place of an id', () => {
  describe.each(INEXACT)('%s', (literal) => {
    it.each([
      ['eventId', eventText(literal, '"o"')],
      ['orderId', eventText('"e"', literal)],
      ['id, the alias of eventId', eventText(literal, '"o"').replace('eventId', 'id')],
    ])('as %s makes its event unusable, and no other event', async (_key, text) => {
      const { events, issues } = await polled(`[${text},${eventText('"e2"', '"o2"')}]`);
      expect(events.map(({ eventId }) => eventId)).toEqual(['e2']);
      expect(issues.map(({ code }) => code)).toContain('left_out');
      expect(issues.find(({ code }) => code === 'invalid')?.message).toMatch(/safe integer/);
    });

    it.each(COLLECTIONS)('makes an entry of %s unusable, and no other entry', (collection) => {
      const before = cleanMerchant()[collection] as { id: string }[];
      const { merchant, issues } = merchantWith(`${collection}.0.id`, JSON.parse(literal));
      expect(at(merchant, collection)).toEqual(before.slice(1));
      expect(issues).toEqual([`${collection}.0.id invalid`, `${collection}.0 left_out`]);
    });

    it.each([
      'id',
      'services.0.menuId',
      'services.0.targetAppId',
      'services.0.serviceHours.id',
      'optionGroups.0.options.0.itemId',
      'items.0.externalCode',
      'items.0.ean',
    ])('is removed from %s, and nothing else is removed', (path) => {
      const { merchant, issues } = merchantWith(path, JSON.parse(literal));
      expect(at(merchant, path)).toBeUndefined();
      expect(issues).toEqual([`${path} invalid`]);
    });

    it('makes an order unusable, and the error names the field', async () => {
      const text = JSON.stringify(cleanOrder()).replace('"id":"o"', `"id":${literal}`);
      const { mock, hub } = stage({}, { fetch: (input, init) => sent(input, init) });
      const sent: typeof fetch = async (input, init) =>
        String(input).includes('/orders/') ? new Response(text) : mock.fetch(input as string, init);
      await expect(hub.orders.get('o')).rejects.toMatchObject({
        code: 'invalid_response',
        message: expect.stringMatching(/\bid: .*safe integer/),
        issues: [{ path: ['id'], code: 'invalid' }],
      });
    });
  });

  it('does not make an alias the id instead', () => {
    const text = eventText('9007199254740993', '"o"').replace('{', '{"id":"e",');
    expect(readEvent(JSON.parse(text)).usable).toBe(false);
  });
});

it('a safe integer is read as an id, as a string', async () => {
  for (const literal of ['17', '0', '-3', '9007199254740991', '-9007199254740991']) {
    const { events, issues } = await polled(`[${eventText(literal, literal)}]`);
    expect(events).toMatchObject([{ eventId: literal, orderId: literal }]);
    expect(issues.map(({ path, code }) => `${path.join('.')} ${code}`)).toEqual([
      '0.eventId coerced',
      '0.orderId coerced',
    ]);
    expect(merchantWith('items.0.id', JSON.parse(literal)).merchant.items[0]?.id).toBe(literal);
    expect(orderWith('id', JSON.parse(literal)).order.id).toBe(literal);
  }
});

it('a string that is not an id can be a fraction, but never a number that lost digits', () => {
  expect(merchantWith('items.0.name', 1.5).merchant.items[0]?.name).toBe('1.5');
  expect(orderWith('customer.documentNumber', 12345678901234).order.customer?.documentNumber).toBe(
    '12345678901234',
  );
  const { order, issues } = orderWith('customer.documentNumber', JSON.parse('12345678901234567890'));
  expect([order.customer?.documentNumber, issues]).toEqual([undefined, ['customer.documentNumber invalid']]);
});

describe('any two different numbers', () => {
  // JSON.parse keeps up to 15 digits. Integers can have any number of digits.
  const digits = (max: number) =>
    fc.array(fc.constantFrom(...'0123456789'), { minLength: 1, maxLength: max }).map((each) => each.join(''));
  const integer = fc
    .tuple(fc.boolean(), fc.oneof(digits(40), near(2n ** 53n), near(2n ** 64n), near(2n ** 31n)))
    .map(([isNegative, text]) => BigInt(isNegative ? `-${text}` : text).toString());
  const fraction = fc.tuple(digits(8), digits(7)).map(([whole, part]) => `${BigInt(whole)}.${part}`);
  const power = fc.tuple(digits(4), fc.integer({ min: -30, max: 330 })).map(([m, e]) => `${BigInt(m)}e${e}`);
  const literal = fc.oneof({ weight: 4, arbitrary: integer }, fraction, power);

  /** The exact number of a literal: its digits without trailing zeros, and a power of ten. */
  function exactly(text: string): string {
    const [, sign = '', whole = '', part = '', power = '0'] =
      /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text) ?? [];
    const all = `${whole}${part}`.replace(/^0+/, '');
    const kept = all.replace(/0+$/, '');
    return kept === '' ? '0' : `${sign}${kept}e${Number(power) - part.length + all.length - kept.length}`;
  }

  it('become two ids or no id', () => {
    let compared = 0;
    fc.assert(
      fc.property(literal, literal, (one, other) => {
        fc.pre(exactly(one) !== exactly(other));
        const [a, b] = [one, other].map((text) => {
          const reading = readEvent(JSON.parse(eventText(text, '"o"')));
          expect(reading.usable || reading.issues.length > 0).toBe(true);
          return reading.usable ? (reading.value as { eventId: string }).eventId : undefined;
        });
        if (a !== undefined && b !== undefined) compared += 1;
        if (a !== undefined) expect(exactly(one)).toBe(exactly(a));
        expect(a === undefined || a !== b).toBe(true);
      }),
      { numRuns: runs(3000, 4) },
    );
    expect(compared).toBeGreaterThan(100);
  });

  it('that are neighbors become two ids or no id', async () => {
    await fc.assert(
      fc.asyncProperty(integer, async (text) => {
        const next = (BigInt(text) + 1n).toString();
        const { events: ids } = await polled(`[${eventText(text, text)},${eventText(next, next)}]`);
        expect(new Set(ids.map(({ eventId }) => eventId)).size).toBe(ids.length);
        expect(new Set(ids.map(({ orderId }) => orderId)).size).toBe(ids.length);
      }),
      { numRuns: runs(1000) },
    );
  });
});

function near(value: bigint): fc.Arbitrary<string> {
  return fc.integer({ min: -4, max: 4 }).map((offset) => (value + BigInt(offset)).toString());
}
