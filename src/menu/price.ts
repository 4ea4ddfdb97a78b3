import type { CartFault } from '../errors.js';
import { type Amount, amountOf, divided, numberOf } from './decimal.js';
import type { ResolvedOffer, ResolvedOption, ResolvedOptionGroup } from './resolved.js';
import type { OfferSelection, OptionSelection } from './selection.js';
import { shown } from './shown.js';

/** An amount of money as the wire says it; exact to four places. */
export interface Money {
  readonly value: number;
  readonly currency: string;
}

/** A part of a price. The lines' values add up to the total. */
export interface PriceLine {
  /** `offer`, or how the options of the line are counted. */
  readonly kind: 'offer' | 'SUM' | 'MAX' | 'AVG';
  readonly offerId: string;
  /** The groups the line stands for: one of a SUM line, all of their kind otherwise. */
  readonly groupIds: readonly string[];
  /** The option of a SUM line, and the dearest one of a MAX line. */
  readonly optionId?: string | undefined;
  readonly name?: string | undefined;
  readonly quantity: number;
  /** For one. */
  readonly unitValue: number;
  /** For all. */
  readonly value: number;
}

/** What a selection costs. */
export interface Price {
  readonly total: Money;
  readonly lines: readonly PriceLine[];
  /** What `originalValue` exceeds the price by, computed by the same rule. */
  readonly saving: Money;
}

/** A line before it is told: what it is, and for one what it costs now and cost before. */
interface Part {
  readonly line: Omit<PriceLine, 'offerId' | 'quantity' | 'unitValue' | 'value'>;
  readonly count: bigint;
  readonly unit: Amount;
  readonly original: Amount;
}

/** A chosen option, found, with its price. */
interface Chosen {
  readonly group: ResolvedOptionGroup;
  readonly option: ResolvedOption;
  readonly count: bigint;
  readonly unit: Amount;
  readonly original: Amount;
}

/** Sums of one offer, for a cart to be added up. */
export interface Priced {
  readonly lines: readonly PriceLine[];
  readonly total: Amount;
  readonly original: Amount;
  readonly currency: string;
}

type Note = (fault: Omit<CartFault, 'offerId'>) => void;

/**
 * Prices one offer with its options: SUM groups, plus the largest over the MAX
 * groups, plus the average over the AVG groups, half-up to four places.
 *
 * @param path - where the selection stands in what the caller gave.
 * @param faults - everything that is wrong is added here.
 * @returns undefined where no price can be told.
 */
export function priceOffer(
  offer: ResolvedOffer,
  selection: OfferSelection,
  path: readonly (string | number)[],
  faults: CartFault[],
): Priced | undefined {
  const note: Note = (fault) =>
    void faults.push({ ...fault, path: [...path, ...fault.path], offerId: offer.id });
  const before = faults.length;
  const count = countOf(selection.quantity, ['quantity'], note);
  const base = amountOf(offer.price?.value);
  const currency = currencyOf(offer.price);
  if (base === undefined)
    note({ code: 'unusable_price', path: [], message: 'the offer has no usable price' });
  const chosen = choose(offer, selection.options ?? [], currency, note);
  if (faults.length > before || count === undefined || base === undefined) return undefined;

  const parts = [
    {
      line: { kind: 'offer', groupIds: [], name: offer.item.name },
      count: 1n,
      ...pricesOf(base, offer.price),
    },
    ...partsOf(chosen),
  ] as const satisfies readonly Part[];
  const lines = parts.map(({ line, count: each, unit }): PriceLine => {
    const quantity = each * count;
    return {
      ...line,
      offerId: offer.id,
      quantity: Number(quantity),
      unitValue: numberOf(unit),
      value: numberOf(unit * quantity),
    };
  });
  const sum = (of: 'unit' | 'original') =>
    parts.reduce((total, part) => total + part[of] * part.count * count, 0n);
  return { lines, total: sum('unit'), original: sum('original'), currency };
}

/** The standard's rule over all chosen options of an offer. */
function partsOf(chosen: readonly Chosen[]): Part[] {
  const of = (method: string) => chosen.filter(({ group }) => (group.priceMethod ?? 'SUM') === method);
  const parts = of('SUM').map(({ group, option, ...price }): Part => {
    return {
      line: { kind: 'SUM', groupIds: [group.id], optionId: option.id, name: option.item?.name },
      ...price,
    };
  });
  const max = of('MAX');
  if (max.length > 0) {
    const dearest = max.reduce((one, other) => (isDearer(other, one) ? other : one));
    parts.push({
      line: {
        kind: 'MAX',
        groupIds: groupsOf(max),
        optionId: dearest.option.id,
        name: dearest.option.item?.name,
      },
      count: 1n,
      unit: dearest.unit,
      original: max.reduce((most, { original }) => (original > most ? original : most), 0n),
    });
  }
  const avg = of('AVG');
  if (avg.length > 0) {
    const count = avg.reduce((all, each) => all + each.count, 0n);
    const average = (of: 'unit' | 'original') =>
      divided(
        avg.reduce((all, each) => all + each[of] * each.count, 0n),
        count,
      );
    parts.push({
      line: { kind: 'AVG', groupIds: groupsOf(avg) },
      count: 1n,
      unit: average('unit'),
      original: average('original'),
    });
  }
  return parts;
}

/** By price, then by id: the order of the selection must not show. */
const isDearer = (one: Chosen, other: Chosen) =>
  one.unit > other.unit || (one.unit === other.unit && one.option.id < other.option.id);

const groupsOf = (chosen: readonly Chosen[]) => [...new Set(chosen.map(({ group }) => group.id))];

/** The options of a selection in the order of the menu, each once, with every fault of theirs noted. */
function choose(
  offer: ResolvedOffer,
  selected: readonly OptionSelection[],
  currency: string,
  note: Note,
): readonly Chosen[] {
  const counts = new Map<ResolvedOption, bigint>();
  const places = new Map<ResolvedOption, number>();
  const groups = new Map(offer.optionGroups.map((group) => [group.id, group]));
  for (const [at, { groupId, optionId, quantity }] of selected.entries()) {
    const path = ['options', at];
    const group = groups.get(groupId);
    const option = group?.options.find(({ id }) => id === optionId);
    const count = countOf(quantity, [...path, 'quantity'], note);
    if (!group) {
      const message = `the offer has no option group '${shown(groupId)}'`;
      note({ code: 'unknown_group', path, groupId, message });
    } else if (!option) {
      const message = `${spoken(group)} has no option '${shown(optionId)}'`;
      note({ code: 'unknown_option', path, groupId, optionId, message });
    } else {
      // A quantity that is none counts as one, for the other faults to be told too.
      counts.set(option, (counts.get(option) ?? 0n) + (count ?? 1n));
      if (!places.has(option)) places.set(option, at);
    }
  }
  const chosen: Chosen[] = [];
  for (const group of offer.optionGroups) {
    let total = 0n;
    for (const option of group.options) {
      const count = counts.get(option);
      if (count === undefined) continue;
      total += count;
      const path = ['options', places.get(option) as number];
      const unit = option.price === undefined ? 0n : amountOf(option.price.value);
      for (const fault of faultsOf(group, option, count, unit, currency)) {
        note({ ...fault, path, groupId: group.id, optionId: option.id });
      }
      if (unit !== undefined) chosen.push({ group, option, count, ...pricesOf(unit, option.price) });
    }
    for (const fault of groupFaultsOf(group, total)) note({ ...fault, path: ['options'], groupId: group.id });
  }
  return chosen;
}

type Bare = Pick<CartFault, 'code' | 'message'>;

function* faultsOf(
  group: ResolvedOptionGroup,
  option: ResolvedOption,
  count: bigint,
  unit: Amount | undefined,
  currency: string,
): Generator<Bare> {
  const name = shown(option.item?.name ?? option.id);
  const { maxPermitted = Number.POSITIVE_INFINITY, price } = option;
  if (option.status === 'UNAVAILABLE' || option.item?.status === 'UNAVAILABLE') {
    yield { code: 'unavailable_option', message: `'${name}' of ${spoken(group)} is not available` };
  }
  if (Number(count) > maxPermitted) {
    yield {
      code: 'too_many_of_option',
      message: `at most ${maxPermitted} of '${name}' can be chosen, not ${count}`,
    };
  }
  if (unit === undefined) yield { code: 'unusable_price', message: `'${name}' has no usable price` };
  if (price !== undefined && currencyOf(price) !== currency) {
    const message = `'${name}' is priced in ${shown(currencyOf(price))}, the offer in ${shown(currency)}`;
    yield { code: 'currency_mismatch', message };
  }
}

function* groupFaultsOf(group: ResolvedOptionGroup, total: bigint): Generator<Bare> {
  const { minPermitted = 0, maxPermitted = Number.POSITIVE_INFINITY, priceMethod = 'SUM' } = group;
  if (Number(total) < minPermitted) {
    yield {
      code: 'too_few_options',
      message: `at least ${minPermitted} of ${spoken(group)} must be chosen, not ${total}`,
    };
  }
  if (total === 0n) return;
  if (Number(total) > maxPermitted) {
    yield {
      code: 'too_many_options',
      message: `at most ${maxPermitted} of ${spoken(group)} can be chosen, not ${total}`,
    };
  }
  if (group.status === 'UNAVAILABLE') {
    yield { code: 'unavailable_group', message: `${spoken(group)} is not available` };
  }
  if (!['SUM', 'MAX', 'AVG'].includes(priceMethod)) {
    yield {
      code: 'unknown_price_method',
      message: `${spoken(group)} is priced by '${shown(priceMethod)}', which the spec does not know`,
    };
  }
}

const spoken = ({ name, id }: ResolvedOptionGroup) => `the group '${shown(name ?? id)}'`;

/** The spec's prices are in reais where none is named. */
export const currencyOf = (price: { readonly currency?: unknown } | undefined): string =>
  typeof price?.currency === 'string' ? price.currency : 'BRL';

/** A price and what it was before; an original below the price is none. */
function pricesOf(
  unit: Amount,
  price: { readonly originalValue?: number | undefined } | undefined,
): { unit: Amount; original: Amount } {
  const original = amountOf(price?.originalValue) ?? unit;
  return { unit, original: original > unit ? original : unit };
}

function countOf(quantity: unknown, path: readonly (string | number)[], note: Note): bigint | undefined {
  if (quantity === undefined) return 1n;
  if (Number.isSafeInteger(quantity) && (quantity as number) >= 1) return BigInt(quantity as number);
  note({ code: 'invalid_quantity', path, message: 'a quantity is a whole number of at least 1' });
  return undefined;
}
