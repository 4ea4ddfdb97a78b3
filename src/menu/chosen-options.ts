import type { CartFault } from '../errors/index.js';
import { type Amount, currencyOf, toAmount, type UnitPrice, unitPriceOf } from './decimal.js';
import { isUnavailable, truncated } from './entries.js';
import type { ResolvedOffer, ResolvedOption, ResolvedOptionGroup } from './resolved.js';
import type { OptionSelection } from './selection.js';

export interface ChosenOption extends UnitPrice {
  readonly group: ResolvedOptionGroup;
  readonly option: ResolvedOption;
  readonly count: bigint;
}

export type ReportFault = (fault: Omit<CartFault, 'offerId'>) => void;

/**
 * Finds the options of a selection and reports every fault in them.
 *
 * @returns each chosen option once, in the order of the menu.
 */
export function chooseOptions(
  offer: ResolvedOffer,
  selections: readonly OptionSelection[],
  currency: string,
  report: ReportFault,
): readonly ChosenOption[] {
  const selected = findOptions(offer, selections, report);
  const chosen: ChosenOption[] = [];
  for (const group of offer.optionGroups) {
    let total = 0n;
    for (const option of group.options) {
      const found = selected.get(option);
      if (!found) continue;
      const { count, index } = found;
      total += count;
      const unit = option.price === undefined ? 0n : toAmount(option.price.value);
      for (const fault of optionFaults(group, option, count, unit, currency)) {
        report({ ...fault, path: ['options', index], groupId: group.id, optionId: option.id });
      }
      if (unit !== undefined) chosen.push({ group, option, count, ...unitPriceOf(unit, option.price) });
    }
    for (const fault of groupFaults(group, total)) {
      report({ ...fault, path: ['options'], groupId: group.id });
    }
  }
  return chosen;
}

interface Selected {
  readonly count: bigint;
  /** Where the option is first in the selection. */
  readonly index: number;
}

function findOptions(
  offer: ResolvedOffer,
  selections: readonly OptionSelection[],
  report: ReportFault,
): ReadonlyMap<ResolvedOption, Selected> {
  const selected = new Map<ResolvedOption, Selected>();
  const groups = new Map(offer.optionGroups.map((group) => [group.id, group]));
  for (const [at, { groupId, optionId, quantity }] of selections.entries()) {
    const path = ['options', at];
    const group = groups.get(groupId);
    const option = group?.options.find(({ id }) => id === optionId);
    const quantityCount = readQuantity(quantity, [...path, 'quantity'], report);
    if (!group) {
      const message = `the offer has no option group '${truncated(groupId)}'`;
      report({ code: 'unknown_group', path, groupId, message });
    } else if (!option) {
      const message = `${describeGroup(group)} has no option '${truncated(optionId)}'`;
      report({ code: 'unknown_option', path, groupId, optionId, message });
    } else {
      const { count, index } = selected.get(option) ?? { count: 0n, index: at };
      // An invalid quantity counts as one, so that the other faults of the option are reported too.
      selected.set(option, { count: count + (quantityCount ?? 1n), index });
    }
  }
  return selected;
}

/** The quantity of a selection, 1 if absent; undefined with a fault if it is invalid. */
export function readQuantity(
  quantity: unknown,
  path: readonly (string | number)[],
  report: ReportFault,
): bigint | undefined {
  if (quantity === undefined) return 1n;
  if (Number.isSafeInteger(quantity) && (quantity as number) >= 1) return BigInt(quantity as number);
  report({ code: 'invalid_quantity', path, message: 'quantity must be an integer of at least 1' });
  return undefined;
}

type Fault = Pick<CartFault, 'code' | 'message'>;

function* optionFaults(
  group: ResolvedOptionGroup,
  option: ResolvedOption,
  count: bigint,
  unit: Amount | undefined,
  currency: string,
): Generator<Fault> {
  const name = `option '${truncated(option.item?.name ?? option.id)}'`;
  const { maxPermitted = Number.POSITIVE_INFINITY, price } = option;
  if (isUnavailable(option) || isUnavailable(option.item)) {
    yield { code: 'unavailable_option', message: `${name} of ${describeGroup(group)} is not available` };
  }
  if (Number(count) > maxPermitted) {
    yield {
      code: 'too_many_of_option',
      message: `too many of ${name}: ${count}, at most ${maxPermitted} allowed`,
    };
  }
  if (unit === undefined) yield { code: 'unusable_price', message: `${name} has no usable price` };
  if (price !== undefined && currencyOf(price) !== currency) {
    const message = `${name} is priced in ${truncated(currencyOf(price))}, the offer in ${truncated(currency)}`;
    yield { code: 'currency_mismatch', message };
  }
}

function* groupFaults(group: ResolvedOptionGroup, total: bigint): Generator<Fault> {
  const { minPermitted = 0, maxPermitted = Number.POSITIVE_INFINITY, priceMethod } = group;
  const name = describeGroup(group);
  if (Number(total) < minPermitted) {
    yield {
      code: 'too_few_options',
      message: `too few options of ${name}: ${total}, at least ${minPermitted} required`,
    };
  }
  if (total === 0n) return;
  if (Number(total) > maxPermitted) {
    yield {
      code: 'too_many_options',
      message: `too many options of ${name}: ${total}, at most ${maxPermitted} allowed`,
    };
  }
  if (isUnavailable(group)) {
    yield { code: 'unavailable_group', message: `${name} is not available` };
  }
  if (!['SUM', 'MAX', 'AVG'].includes(priceMethod)) {
    const message = `${name} has priceMethod '${truncated(priceMethod)}'; the spec defines SUM, MAX and AVG`;
    yield { code: 'unknown_price_method', message };
  }
}

const describeGroup = ({ name, id }: ResolvedOptionGroup) => `group '${truncated(name ?? id)}'`;
