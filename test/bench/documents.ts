import { type Json, merchantFixture } from '../../src/testing/fixtures.js';
import { drawOf } from '../../src/testing/random.js';

/** Number of items: S, M and L of the performance goals, and XS for quick runs. */
export const SIZES = { XS: 8, S: 100, M: 1_000, L: 10_000 } as const;
export type Size = keyof typeof SIZES;

const OFFERS_IN_CATEGORY = 20;
const ITEMS_TO_GROUP = 10;
const OPTIONS = 3;

const DISHES = ['Pizza', 'Lasanha', 'Pão de queijo', 'Feijoada', 'Coxinha', 'Moqueca', 'Pastel', 'Suco'];
const KINDS = ['da casa', 'com calabresa', 'de frango', 'à moda', 'vegetariana', 'com requeijão', 'especial'];
const PARTS = [
  'tomate',
  'mussarela',
  'azeitona',
  'manjericão',
  'cebola',
  'milho',
  'alho',
  'orégano',
  'limão',
];

/** A merchant document without issues, with offers, groups and options of this many items. Equal for equal seeds. */
export function cleanDocument(items: number, seed = 'merchant'): Json {
  let draws = 0;
  const draw = (below: number) => Math.floor(drawOf(seed, (draws += 1)) * below);
  const one = (words: readonly string[]) => words[draw(words.length)] ?? '';
  const hex = (digits: number) =>
    draw(16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`;
  const uuids = (count: number) => Array.from({ length: count }, uuid);
  const at = (list: readonly string[], index: number) => list[index] ?? '';
  const price = () => {
    const value = (100 + draw(9_900)) / 100;
    return { value, originalValue: value, currency: 'BRL' };
  };

  const document = merchantFixture('2026-05-04T03:02:01Z');
  const [availability] = (document.availabilities as Json[]).map(({ id }) => id as string);
  const itemIds = uuids(items);
  const offerIds = uuids(items);
  const groupIds = uuids(Math.ceil(items / ITEMS_TO_GROUP));
  const categoryIds = uuids(Math.ceil(items / OFFERS_IN_CATEGORY));

  for (const menu of document.menus as Json[]) menu.categoryId = categoryIds;
  document.categories = categoryIds.map((id, index) => ({
    id,
    index,
    name: `${one(DISHES)} ${index}`,
    description: `${one(KINDS)}, ${one(PARTS)}`,
    externalCode: `CAT-${index}`,
    status: 'AVAILABLE',
    itemOfferId: offerIds.slice(index * OFFERS_IN_CATEGORY, (index + 1) * OFFERS_IN_CATEGORY),
  }));
  document.items = itemIds.map((id, index) => ({
    id,
    name: `${one(DISHES)} ${one(KINDS)} ${index}`,
    description: `Com ${one(PARTS)}, ${one(PARTS)} e ${one(PARTS)}; p/ ${1 + draw(4)}.`,
    externalCode: `P-${index}`,
    status: draw(20) === 0 ? 'UNAVAILABLE' : 'AVAILABLE',
    image: { URL: `https://images.example/menu/${hex(6)}/${id}.jpg` },
    nutritionalInfo: {
      description: 'Sal',
      calories: `${100 + draw(900)} kcal`,
      allergen: ['GLUTEN', 'MILK'],
      isAlcoholic: false,
    },
    serving: 1 + draw(4),
    unit: draw(10) === 0 ? 'KG' : 'UN',
    ean: `789${hex(6)}${1000 + draw(9000)}`,
  }));
  document.itemOffers = offerIds.map((id, index) => ({
    id,
    itemId: at(itemIds, index),
    index,
    status: 'AVAILABLE',
    price: price(),
    availabilityId: [availability ?? ''],
    optionGroupsId: [at(groupIds, draw(groupIds.length)), at(groupIds, draw(groupIds.length))],
  }));
  document.optionGroups = groupIds.map((id, index) => ({
    id,
    index,
    name: `Adicionais ${index}`,
    description: 'Escolha o que mais gosta',
    externalCode: `G-${index}`,
    status: 'AVAILABLE',
    minPermitted: 0,
    maxPermitted: OPTIONS,
    priceMethod: 'SUM',
    options: Array.from({ length: OPTIONS }, (_, place) => ({
      id: uuid(),
      itemId: at(itemIds, draw(items)),
      index: place,
      status: 'AVAILABLE',
      price: price(),
      maxPermitted: 1,
    })),
  }));
  // As after JSON.parse, no object is used in two places.
  return JSON.parse(JSON.stringify(document));
}

/** The same document with the deviations of real ones in every entry: no status, null, unknown units, times with fractions. */
export function deviatingDocument(items: number, seed = 'merchant'): Json {
  const document = cleanDocument(items, seed);
  const entries = (key: string, of: Json = document) => (of[key] ?? []) as Json[];
  const hours: Json[] = [];
  for (const service of entries('services')) {
    delete service.status;
    service.servicePriority = null;
    hours.push(...entries('weekHours', service.serviceHours as Json));
  }
  for (const availability of entries('availabilities')) {
    availability.startDate = null;
    hours.push(...entries('hours', availability));
  }
  for (const entry of hours) entry.timePeriods = { startTime: '10:00:00.000Z', endTime: '22:30:00.000Z' };
  for (const menu of entries('menus')) menu.disclaimer = null;
  for (const category of entries('categories')) {
    delete category.status;
    category.description = null;
  }
  for (const [index, item] of entries('items').entries()) {
    delete item.status;
    item.ean = null;
    item.unit = index % 2 === 0 ? 'UNIT' : '8 pieces';
  }
  for (const offer of entries('itemOffers')) {
    delete offer.status;
    offer.availabilityId = null;
  }
  for (const group of entries('optionGroups')) {
    delete group.status;
    group.description = null;
    for (const option of entries('options', group)) {
      delete option.status;
      option.maxPermitted = null;
    }
  }
  return document;
}
