import { Menu, type Merchant } from 'opendelivery-client';
import { type Bench, type Effort, medianOf, type Row } from './bench.js';
import { cleanDocument, SIZES } from './documents.js';

/** Every category, offer, group and option with its names, as a page shows them. */
function walk(merchant: Merchant): number {
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

/** The same without an index, as it is written at first. */
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

const AGAIN = 'opendelivery-client, another walk';

/** Each round on a document of its own, just parsed: an index is made once, and found cold. */
function measure(text: string, rounds: number): Row[] {
  const contenders = [
    ['opendelivery-client, index and walk', walk],
    ['array.find', walkByFind],
  ] as const;
  const taken = new Map<string, number[]>([
    ['JSON.parse', []],
    ...[contenders[0][0], AGAIN, contenders[1][0]].map((name): [string, number[]] => [name, []]),
  ]);
  const timed = <T>(name: string, run: () => T): T => {
    const startedAt = performance.now();
    const result = run();
    taken.get(name)?.push(performance.now() - startedAt);
    return result;
  };
  for (let round = 0; round < rounds; round += 1) {
    const results = contenders.map(([name, run]) => {
      const document = timed('JSON.parse', () => JSON.parse(text) as Merchant);
      const result = timed(name, () => run(document));
      if (run === walk) timed(AGAIN, () => walk(document));
      return result;
    });
    if (new Set(results).size > 1) throw new Error('they have not seen the same menu');
  }
  const floor = medianOf(taken.get('JSON.parse') ?? []);
  return [...taken].map(([name, times]) => ({
    name,
    median: medianOf(times),
    ratio: medianOf(times) / floor,
  }));
}

export const bench: Bench = {
  title: 'P3: index of a menu and a walk through all of it, cold',
  goal: 'at most 0.20x JSON.parse of M; array.find at least 100 times as long',
  async *tables(effort: Effort) {
    for (const size of effort === 'quick' ? (['XS'] as const) : (['S', 'M'] as const)) {
      const text = JSON.stringify(cleanDocument(SIZES[size]));
      const rounds = effort === 'quick' ? 3 : 200;
      yield { title: `${size}, ${SIZES[size]} items`, unit: 'ms', rows: measure(text, rounds) };
    }
  },
};
