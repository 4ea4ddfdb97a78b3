import type { Menu, Merchant } from 'opendelivery-client';
import { type Bench, type Effort, medianOf, OURS, type Row } from './bench.js';
import { cleanDocument, SIZES } from './documents.js';
import { importHub } from './packages.js';

type MenuClass = typeof Menu;

/** Reads the name of every category, offer, group and option, as a page would. */
function walk(merchant: Merchant, Menu: MenuClass): number {
  let seen = 0;
  const [service] = new Menu(merchant).services;
  for (const category of service?.menu?.categories ?? []) {
    for (const offer of category.offers) {
      seen += offer.item.name?.length ?? 0;
      for (const group of offer.optionGroups) {
        for (const option of group.options) seen += option.item?.name?.length ?? 0;
      }
    }
  }
  return seen;
}

/** The same without an index: what a first implementation does. */
function walkByFind({ services, menus, categories, itemOffers, items, optionGroups }: Merchant): number {
  let seen = 0;
  const menu = menus.find(({ id }) => id === services[0]?.menuId);
  for (const categoryId of menu?.categoryId ?? []) {
    const category = categories.find(({ id }) => id === categoryId);
    for (const offerId of category?.itemOfferId ?? []) {
      const offer = itemOffers.find(({ id }) => id === offerId);
      seen += items.find(({ id }) => id === offer?.itemId)?.name?.length ?? 0;
      for (const groupId of new Set(offer?.optionGroupsId)) {
        const group = optionGroups.find(({ id }) => id === groupId);
        for (const option of group?.options ?? []) {
          seen += items.find(({ id }) => id === option.itemId)?.name?.length ?? 0;
        }
      }
    }
  }
  return seen;
}

const AGAIN = `${OURS}, another walk`;
const COLD = `${OURS}, index and walk`;

/** Each round parses a new document, because its index is built only once. */
function measure(text: string, rounds: number, Menu: MenuClass): Row[] {
  const ours = (merchant: Merchant) => walk(merchant, Menu);
  const contenders = [
    [COLD, ours],
    ['array.find', walkByFind],
  ] as const;
  const timings = new Map<string, number[]>([
    ['JSON.parse', []],
    ...[COLD, AGAIN, 'array.find'].map((name): [string, number[]] => [name, []]),
  ]);
  const timed = <T>(name: string, run: () => T): T => {
    const startedAt = performance.now();
    const result = run();
    timings.get(name)?.push(performance.now() - startedAt);
    return result;
  };
  for (let round = 0; round < rounds; round += 1) {
    const results = contenders.map(([name, run]) => {
      const document = timed('JSON.parse', () => JSON.parse(text) as Merchant);
      const result = timed(name, () => run(document));
      if (run === ours) timed(AGAIN, () => ours(document));
      return result;
    });
    if (new Set(results).size > 1) throw new Error('the results are not equal');
  }
  const floor = medianOf(timings.get('JSON.parse') ?? []);
  return [...timings].map(([name, times]) => ({
    name,
    median: medianOf(times),
    ratio: medianOf(times) / floor,
    ...(name === COLD && { goal: { ratio: 0.45 } }),
  }));
}

export const bench: Bench = {
  title: 'P3: building the index of a menu and reading all of it, cold',
  goal: 'at most 0.45x JSON.parse of M',
  async *tables(effort: Effort) {
    const { Menu } = await importHub();
    for (const size of effort === 'quick' ? (['XS'] as const) : (['S', 'M'] as const)) {
      const text = JSON.stringify(cleanDocument(SIZES[size]));
      const rounds = effort === 'quick' ? 3 : 200;
      yield {
        title: `${size}, ${SIZES[size]} items, wall time`,
        unit: 'ms',
        rows: measure(text, rounds, Menu),
      };
    }
  },
};
