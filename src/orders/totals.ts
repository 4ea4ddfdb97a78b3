import type { Issue } from '../errors/index.js';
import type { Money } from '../schemas/money.js';
import type { Order } from '../schemas/order.js';

/** Amounts have at most four decimal places (standard v1.7.1). */
const DECIMALS = 4;

/** The sums of an order that do not add up. A sum is checked only if all its amounts are known and in one currency. */
export function totalIssues({ items, otherFees = [], discounts = [], total, payments }: Order): Issue[] {
  const issues: Issue[] = [];
  const check = (path: Issue['path'], stated: number | undefined, sum: number | undefined, of: string) => {
    if (stated === undefined || sum === undefined || isEqual(stated, sum)) return;
    issues.push({ path, code: 'total', message: `is not ${of}`, against: 'sense' });
  };
  const checkTotal = (key: keyof NonNullable<Order['total']>, parts: Amounts, of: string) =>
    check(['total', key], total?.[key]?.value, sumOf(parts, total?.[key]), of);

  checkTotal(
    'itemsPrice',
    items.map(({ totalPrice }) => totalPrice),
    'the sum of the total prices of the items',
  );
  checkTotal(
    'otherFees',
    otherFees.map(({ price }) => price),
    'the sum of the fees',
  );
  checkTotal(
    'discount',
    discounts.map(({ amount }) => amount),
    'the sum of the discounts',
  );
  checkTotal(
    'orderAmount',
    [total?.itemsPrice, total?.otherFees, negative(total?.discount)],
    'itemsPrice + otherFees - discount',
  );

  const { methods = [] } = payments ?? {};
  const hasTypes = methods.every(({ type }) => type === 'PREPAID' || type === 'PENDING');
  const sumOfType = (type: string) =>
    hasTypes ? sumOfValues(methods.filter((method) => method.type === type)) : undefined;
  check(
    ['payments', 'prepaid'],
    payments?.prepaid,
    sumOfType('PREPAID'),
    'the sum of the methods of the type PREPAID',
  );
  check(
    ['payments', 'pending'],
    payments?.pending,
    sumOfType('PENDING'),
    'the sum of the methods of the type PENDING',
  );
  const paid = payments && sumOfValues(methods);
  check(['total', 'orderAmount'], total?.orderAmount?.value, paid, 'the sum of the payment methods');
  return issues;
}

type Amounts = ReadonlyArray<Money | undefined>;

/** Undefined if an amount is not known or is in another currency than the total. */
function sumOf(amounts: Amounts, total: Money | undefined): number | undefined {
  if (amounts.some((amount) => amount === undefined || amount.currency !== total?.currency)) return undefined;
  return amounts.reduce((sum, amount) => sum + (amount?.value ?? 0), 0);
}

function sumOfValues(methods: ReadonlyArray<{ readonly value?: number | undefined }>): number | undefined {
  if (methods.some(({ value }) => value === undefined)) return undefined;
  return methods.reduce((sum, { value = 0 }) => sum + value, 0);
}

const negative = (amount: Money | undefined) => amount && { ...amount, value: -amount.value };

const isEqual = (one: number, other: number) => Math.abs(one - other) < 0.5 * 10 ** -DECIMALS;
