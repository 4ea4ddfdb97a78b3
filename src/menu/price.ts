import type { CartFault } from '../errors/index.js';
import type { Money } from '../schemas/money.js';
import { type ChosenOption, chooseOptions, type ReportFault, readQuantity } from './chosen-options.js';
import {
  type Amount,
  currencyOf,
  divideHalfUp,
  toAmount,
  toNumber,
  type UnitPrice,
  unitPriceOf,
} from './decimal.js';
import type { ResolvedOffer } from './resolved.js';
import type { OfferSelection } from './selection.js';

/** One line of a price. The values of all lines add up to the total. */
export interface PriceLine {
  /** `offer` for the offer itself, otherwise the `priceMethod` of the options. */
  readonly kind: 'offer' | 'SUM' | 'MAX' | 'AVG';
  /** The id of the offer that the line belongs to. */
  readonly offerId: string;
  /** The group of a SUM line; all groups of a MAX or AVG line; empty for the offer itself. */
  readonly groupIds: readonly string[];
  /** The option of a SUM line, or the most expensive option of a MAX line. */
  readonly optionId?: string | undefined;
  /** Name of the item that is sold as the offer or option. */
  readonly name?: string | undefined;
  /** How many units the line counts. */
  readonly quantity: number;
  /** For one, in units of the currency. */
  readonly unitValue: number;
  /** For the whole quantity, in units of the currency. */
  readonly value: number;
}

/** The price of an offer or a cart, exact to four decimal places up to about 9·10¹¹: a number does not have more digits. */
export interface Price {
  /** What the selection costs, options included. */
  readonly total: Money;
  /** The parts of the price. Their values add up to the total. */
  readonly lines: readonly PriceLine[];
  /** The price before discounts (`originalValue`), computed in the same way, minus the total. */
  readonly saving: Money;
}

export interface PricedOffer {
  readonly lines: readonly PriceLine[];
  readonly total: Amount;
  readonly original: Amount;
  readonly currency: string;
}

/** A line of one offer, before it is multiplied by the quantity of the offer. */
interface Part extends UnitPrice {
  readonly line: Omit<PriceLine, 'offerId' | 'quantity' | 'unitValue' | 'value'>;
  readonly count: bigint;
}

/**
 * Prices one offer with its options: the options of SUM groups, plus the largest of all MAX groups, plus the
 * average over all AVG groups, rounded half-up to four places.
 *
 * @param path - path of the selection in the request, for the paths of faults.
 * @param faults - every fault is added here.
 * @returns undefined if a fault was found.
 */
export function priceOffer(
  offer: ResolvedOffer,
  selection: OfferSelection,
  path: readonly (string | number)[],
  faults: CartFault[],
): PricedOffer | undefined {
  const report: ReportFault = (fault) =>
    void faults.push({ ...fault, path: [...path, ...fault.path], offerId: offer.id });
  const before = faults.length;
  const count = readQuantity(selection.quantity, ['quantity'], report);
  const unit = toAmount(offer.price?.value);
  const currency = currencyOf(offer.price);
  if (unit === undefined) {
    report({ code: 'unusable_price', path: [], message: 'the offer has no usable price' });
  }
  const chosen = chooseOptions(offer, selection.options ?? [], currency, report);
  if (faults.length > before || count === undefined || unit === undefined) return undefined;

  const parts: Part[] = [
    {
      line: { kind: 'offer', groupIds: [], name: offer.item.name },
      count: 1n,
      ...unitPriceOf(unit, offer.price),
    },
    ...sumParts(chosen),
    ...maxPart(chosen),
    ...avgPart(chosen),
  ];
  const lines = parts.map((part): PriceLine => {
    const quantity = part.count * count;
    return {
      ...part.line,
      offerId: offer.id,
      quantity: Number(quantity),
      unitValue: toNumber(part.unit),
      value: toNumber(part.unit * quantity),
    };
  });
  const total = count * weightedSum(parts, 'unit');
  return { lines, total, original: count * weightedSum(parts, 'original'), currency };
}

export function toPrice(priced: readonly PricedOffer[]): Price {
  const sum = (of: 'total' | 'original') => priced.reduce((all, each) => all + each[of], 0n);
  const currency = priced[0]?.currency ?? 'BRL';
  const total = sum('total');
  return {
    total: { value: toNumber(total), currency },
    lines: priced.flatMap(({ lines }) => lines),
    saving: { value: toNumber(sum('original') - total), currency },
  };
}

const byMethod = (chosen: readonly ChosenOption[], method: string) =>
  chosen.filter(({ group }) => group.priceMethod === method);

const groupIdsOf = (chosen: readonly ChosenOption[]) => [...new Set(chosen.map(({ group }) => group.id))];

const weightedSum = (parts: ReadonlyArray<UnitPrice & { readonly count: bigint }>, of: 'unit' | 'original') =>
  parts.reduce((sum, part) => sum + part[of] * part.count, 0n);

function sumParts(chosen: readonly ChosenOption[]): Part[] {
  return byMethod(chosen, 'SUM').map(({ group, option, count, unit, original }) => ({
    line: { kind: 'SUM', groupIds: [group.id], optionId: option.id, name: option.item?.name },
    count,
    unit,
    original,
  }));
}

function maxPart(chosen: readonly ChosenOption[]): Part[] {
  const options = byMethod(chosen, 'MAX');
  if (options.length === 0) return [];
  const { option, unit } = options.reduce((one, other) => (isDearer(other, one) ? other : one));
  const original = options.reduce((max, each) => (each.original > max ? each.original : max), 0n);
  const groupIds = groupIdsOf(options);
  return [
    {
      line: { kind: 'MAX', groupIds, optionId: option.id, name: option.item?.name },
      count: 1n,
      unit,
      original,
    },
  ];
}

/** By price, then by id, so that the order of the selection does not matter. */
const isDearer = (one: ChosenOption, other: ChosenOption) =>
  one.unit > other.unit || (one.unit === other.unit && one.option.id < other.option.id);

function avgPart(chosen: readonly ChosenOption[]): Part[] {
  const options = byMethod(chosen, 'AVG');
  if (options.length === 0) return [];
  const count = options.reduce((sum, each) => sum + each.count, 0n);
  const average = (of: 'unit' | 'original') => divideHalfUp(weightedSum(options, of), count);
  const line = { kind: 'AVG', groupIds: groupIdsOf(options) } as const;
  return [{ line, count: 1n, unit: average('unit'), original: average('original') }];
}
