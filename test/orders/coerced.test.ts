import fc from 'fast-check';
import type { Order } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { runs } from '../runs.js';
import { at, changed, cleanOrder } from '../schemas/support.js';
import { validOrders } from '../standard/documents.js';
import { readAsOrder } from '../standard/reading.js';

const PIX = { value: 62.8, currency: 'BRL', type: 'PREPAID', method: 'PIX' };
const CASH = { value: 5, currency: 'BRL', type: 'PENDING', method: 'CASH', changeFor: 10 };
const PAYMENTS = { prepaid: 62.8, pending: 0, methods: [PIX] };
const ABSENT = ['payments.prepaid missing', 'payments.pending missing'];

/** Value, and every issue but those of totals, as `path code`. */
async function readWith(path: string, sent: unknown): Promise<[value: unknown, ...issues: string[]]> {
  const { value, issues } = await readAsOrder(changed(cleanOrder(), path, sent));
  const others = issues.filter(({ code }) => code !== 'total');
  return [at(value, path), ...others.map((issue) => `${issue.path.join('.')} ${issue.code}`)];
}

describe('what hubs send in another form', () => {
  it.each<[path: string, sent: unknown, value: unknown, issues: string[]]>([
    ['customer.phone', '+55 11 99123-4567', { number: '+55 11 99123-4567' }, ['customer.phone coerced']],
    ['customer.phone', '', { number: '' }, ['customer.phone coerced']],
    // A number is a string that lost its quotes.
    [
      'customer.phone',
      11991234567,
      { number: '11991234567' },
      ['customer.phone coerced', 'customer.phone coerced'],
    ],
    ['customer.phone', [{ number: '1' }], { number: '1' }, ['customer.phone coerced']],
    // These are no telephone number, so nothing is guessed.
    ['customer.phone', 2 ** 60, undefined, ['customer.phone invalid']],
    ['customer.phone', true, undefined, ['customer.phone invalid']],
    ['customer.phone', ['11991234567', '1133334444'], undefined, ['customer.phone invalid']],

    ['payments', [PIX, CASH], { methods: [PIX, CASH] }, ['payments coerced', ...ABSENT]],
    ['payments', [PIX], { methods: [PIX] }, ['payments coerced', ...ABSENT]],
    ['payments', [], { methods: [] }, ['payments coerced', ...ABSENT]],
    // The path of an issue in the array is that of the hub's document.
    [
      'payments',
      [PIX, { ...CASH, value: '5.00' }, { ...CASH, method: 'PAWN' }],
      { methods: [PIX, CASH, { ...CASH, method: 'PAWN' }] },
      ['payments coerced', 'payments.1.value coerced', 'payments.2.method unknown_value', ...ABSENT],
    ],
    [
      'payments',
      [PIX, null, 'CASH'],
      { methods: [PIX] },
      [
        'payments coerced',
        'payments.1 invalid',
        'payments.1 left_out',
        'payments.2 invalid',
        'payments.2 left_out',
        ...ABSENT,
      ],
    ],
    // An array of one is still read as its object, also if the object is not complete.
    ['payments', [PAYMENTS], PAYMENTS, ['payments coerced']],
    [
      'payments',
      [{ prepaid: 0 }],
      { prepaid: 0, methods: [] },
      ['payments coerced', 'payments.pending missing', 'payments.methods defaulted'],
    ],
    ['payments', 'PIX', undefined, ['payments invalid']],

    ...['UNIT', 'unit', 'Unit', 'un', 'Un'].map(
      (unit) =>
        ['items.0.unit', unit, 'UN', ['items.0.unit coerced']] as [string, unknown, unknown, string[]],
    ),
    ['items.0.unit', 'kg', 'KG', ['items.0.unit coerced']],
    ['items.0.unit', 'gal', 'GAL', ['items.0.unit coerced']],
    ['items.0.unit', 'KG', 'KG', []],
    // Other words are kept as they are.
    ...['8 pieces', '0', '', 'UNITS', 'K G', 'constructor'].map(
      (unit) =>
        ['items.0.unit', unit, unit, ['items.0.unit unknown_value']] as [string, unknown, unknown, string[]],
    ),
  ])('%s = %j is read as %j', async (path, sent, value, issues) => {
    expect(await readWith(path, sent)).toEqual([value, ...issues]);
  });

  it('has an issue against the standard that says what it is read as', async () => {
    const order = [
      ['customer.phone', '11991234567'],
      ['payments', [PIX]],
      ['items.0.unit', 'unit'],
    ].reduce((before, [path, value]) => changed(before, String(path), value), cleanOrder());
    const { issues } = await readAsOrder(order);
    expect(issues.filter(({ code }) => code === 'coerced')).toEqual([
      {
        path: ['items', 0, 'unit'],
        code: 'coerced',
        message: "another spelling; read as 'UN'",
        against: 'standard',
      },
      {
        path: ['payments'],
        code: 'coerced',
        message: "expected an object, got an array; read as 'methods'",
        against: 'standard',
      },
      {
        path: ['customer', 'phone'],
        code: 'coerced',
        message: "expected an object, got a string; read as 'number'",
        against: 'standard',
      },
    ]);
  });
});

/** Each unit in another spelling. */
const spellings = fc.record({
  UN: fc.constantFrom('UNIT', 'unit', 'Unit', 'un', 'uN'),
  KG: fc.constantFrom('kg', 'Kg', 'kG'),
  L: fc.constant('l'),
  OZ: fc.constantFrom('oz', 'Oz'),
  LB: fc.constantFrom('lb', 'Lb'),
  GAL: fc.constantFrom('gal', 'Gal'),
});

it('any order in these forms is read as the order of the standard, without loss', async () => {
  await fc.assert(
    fc.asyncProperty(validOrders, spellings, async (document, spelled) => {
      const order = document as unknown as Order;
      const { items, customer, payments } = order;
      const respelled = <Entry extends { unit?: string | undefined }>(entry: Entry) => ({
        ...entry,
        unit: spelled[entry.unit as keyof typeof spelled],
      });
      const { value, issues } = await readAsOrder({
        ...order,
        items: items.map((item) => ({
          ...respelled(item),
          ...(item.options && { options: item.options.map(respelled) }),
        })),
        ...(customer && { customer: { ...customer, phone: customer.phone?.number } }),
        payments: payments?.methods,
      });
      expect(value).toEqual({
        ...order,
        ...(customer && { customer: { ...customer, phone: { number: customer.phone?.number } } }),
        payments: { methods: payments?.methods },
      });
      const reported = issues.filter(({ against }) => against === 'standard');
      expect(reported.map(({ path, code }) => `${path.join('.')} ${code}`)).toEqual([
        ...items.flatMap(({ options = [] }, index) => [
          `items.${index}.unit coerced`,
          ...options.map((_option, at) => `items.${index}.options.${at}.unit coerced`),
        ]),
        'payments coerced',
        ...ABSENT,
        ...(customer ? ['customer.phone coerced'] : []),
      ]);
    }),
    { seed: 174, numRuns: runs(500, 30) },
  );
});
