import { randomUUID } from 'node:crypto';

/** A mutable JSON object, as it is sent over the wire. */
export type Json = { [key: string]: JsonValue };
/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | Json;

const price = (value: number, originalValue = value) => ({ value, originalValue, currency: 'BRL' });

/** A document in which a host spells one piece in its own way. */
export function withUnit(document: Json, unit: string | undefined): Json {
  if (unit === undefined) return document;
  const spelled = (key: string, value: unknown) => (key === 'unit' && value === 'UN' ? unit : value);
  return JSON.parse(JSON.stringify(document), spelled) as Json;
}

/** The merchant document of a small pizzeria. It is valid by the hub's spec and by the standard. */
export function merchantFixture(lastUpdate: string): Json {
  const item = (id: number, name: string, description: string, externalCode: string): Json => ({
    id: fixtureId('item', id),
    name,
    description,
    externalCode,
    status: 'AVAILABLE',
    unit: 'UN',
  });
  const offer = (
    id: number,
    index: number,
    value: number,
    groups: string[] = [],
    originalValue?: number,
  ): Json => ({
    id: fixtureId('offer', id),
    itemId: fixtureId('item', id),
    index,
    status: 'AVAILABLE',
    price: price(value, originalValue),
    availabilityId: [fixtureId('availability', 1)],
    optionGroupsId: groups,
  });
  const category = (id: number, name: string, offers: readonly number[]): Json => ({
    id: fixtureId('category', id),
    index: id - 1,
    name,
    externalCode: `CAT-${id}`,
    status: 'AVAILABLE',
    itemOfferId: offers.map((each) => fixtureId('offer', each)),
  });
  const everyDay = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
  const evening = { dayOfWeek: everyDay, timePeriods: { startTime: '17:00:00', endTime: '23:30:00' } };
  const service = (id: number, serviceType: string, more: Json = {}): Json => ({
    id: fixtureId('service', id),
    status: 'AVAILABLE',
    serviceType,
    menuId: fixtureId('menu', 1),
    serviceHours: { id: fixtureId('hours', id), weekHours: [evening], holidayHours: [] },
    ...more,
  });
  return {
    lastUpdate,
    TTL: 600,
    id: `12345678000195-${fixtureId('merchant', 1)}`,
    status: 'AVAILABLE',
    basicInfo: {
      name: 'Forno da Vila',
      document: '12345678000195',
      corporateName: 'Forno da Vila Alimentos Ltda',
      description: 'Pizza from a wood-fired oven.',
      averageTicket: 72.5,
      averagePreparationTime: 25,
      minOrderValue: { value: 30, currency: 'BRL' },
      merchantType: 'RESTAURANT',
      merchantCategories: ['PIZZA', 'ITALIAN'],
      address: {
        country: 'BR',
        state: 'SP',
        city: 'São Paulo',
        district: 'Vila Madalena',
        street: 'Rua Harmonia',
        number: '120',
        postalCode: '05435-000',
        complement: 'Loja 2',
        latitude: -23.5535,
        longitude: -46.6873,
      },
      contactEmails: ['ola@forno.example'],
      contactPhones: { commercialNumber: '1130000000', whatsappNumber: '11990000000' },
      logoImage: { URL: 'https://forno.example/logo.png' },
      createdAt: '2024-03-01T12:00:00Z',
      acceptedCards: ['VISA', 'MASTERCARD', 'ELO', 'PIX'],
    },
    services: [
      service(1, 'DELIVERY', {
        serviceTiming: { timing: ['INSTANT'] },
        serviceArea: {
          id: fixtureId('area', 1),
          geoRadius: {
            geoMidpointLatitude: -23.5535,
            geoMidpointLongitude: -46.6873,
            radius: [{ size: 3000, price: { value: 7.9, currency: 'BRL' }, estimateDeliveryTime: 40 }],
          },
        },
      }),
      service(2, 'TAKEOUT'),
    ],
    menus: [
      {
        id: fixtureId('menu', 1),
        name: 'Evening',
        externalCode: 'MENU-1',
        categoryId: [fixtureId('category', 1), fixtureId('category', 2)],
      },
    ],
    categories: [category(1, 'Pizzas', [1, 2]), category(2, 'Drinks', [3])],
    itemOffers: [
      offer(1, 0, 54.9, [fixtureId('group', 1)], 59.9),
      offer(2, 1, 49.9, [fixtureId('group', 1)]),
      offer(3, 0, 8.5),
    ],
    items: [
      item(1, 'Margherita', 'Tomato, mozzarella, basil.', 'P-1'),
      item(2, 'Marinara', 'Tomato, garlic, oregano.', 'P-2'),
      item(3, 'Guaraná', 'Can, 350 ml.', 'D-1'),
      item(4, 'Filled crust', 'With requeijão.', 'X-1'),
    ],
    optionGroups: [
      {
        id: fixtureId('group', 1),
        index: 0,
        name: 'Crust',
        externalCode: 'G-1',
        status: 'AVAILABLE',
        minPermitted: 0,
        maxPermitted: 1,
        priceMethod: 'SUM',
        options: [
          {
            id: fixtureId('option', 1),
            itemId: fixtureId('item', 4),
            index: 0,
            status: 'AVAILABLE',
            price: price(9.9),
            maxPermitted: 1,
          },
        ],
      },
    ],
    availabilities: [{ id: fixtureId('availability', 1), hours: [evening] }],
  };
}

const KINDS = [
  'merchant',
  'service',
  'area',
  'hours',
  'menu',
  'category',
  'offer',
  'item',
  'group',
  'option',
  'availability',
  'customer',
] as const;

/** A UUID that is the same in every run, so that a test can name it. */
export function fixtureId(kind: (typeof KINDS)[number], number: number): string {
  const first = (KINDS.indexOf(kind) + 1).toString(16).padStart(8, '0');
  return `${first}-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
}

/** Returns a function that creates UUIDs in ascending order. Two sequences never share an id. */
export function idSequence(): () => string {
  const prefix = randomUUID().slice(0, 8);
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-0000-4000-8000-${count.toString(16).padStart(12, '0')}`;
  };
}
