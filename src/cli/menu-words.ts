import type { GroupView, Money } from './menu-view.js';

/** An amount as people write it. */
export function moneyText({ value, currency }: Money): string {
  try {
    return new Intl.NumberFormat(currency === 'BRL' ? 'pt-BR' : 'en-US', {
      style: 'currency',
      currency,
    }).format(value);
  } catch {
    return `${value} ${currency}`;
  }
}

const COUNTED: Readonly<Record<string, string>> = {
  MAX: ', the dearest counts',
  AVG: ', their average counts',
};

/** How many options can be chosen, and how they are counted. */
export function ruleText({ minPermitted, maxPermitted, priceMethod }: GroupView): string {
  const count =
    maxPermitted === undefined
      ? `at least ${minPermitted}`
      : minPermitted === maxPermitted
        ? `${maxPermitted}`
        : `${minPermitted} to ${maxPermitted}`;
  return `choose ${count}${COUNTED[priceMethod] ?? ''}`;
}
