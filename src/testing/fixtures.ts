import { randomUUID } from 'node:crypto';

/** A document in wire form that may be changed freely. */
export type Json = { [key: string]: JsonValue };
export type JsonValue = string | number | boolean | null | JsonValue[] | Json;

const price = (value: number, originalValue = value) => ({ value, originalValue, currency: 'BRL' });

/** A small store whose document deviates from the spec in nothing. */
export function merchantFixture(lastUpdate: string): Json {
  const item = (id: number, name: string, description: string, externalCode: string): Json => ({
    id: uuid('item', id),
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
    id: uuid('offer', id),
    itemId: uuid('item', id),
    index,
    status: 'AVAILABLE',
    price: price(value, originalValue),
    availabilityId: [uuid('availability', 1)],
    optionGroupsId: groups,
  });
  const everyDay = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
  const evening = { dayOfWeek: everyDay, timePeriods: { startTime: '17:00:00', endTime: '23:30:00' } };
  return {
    lastUpdate,
    TTL: 600,
    id: `12345678000195-${uuid('merchant', 1)}`,
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
      {
        id: uuid('service', 1),
        status: 'AVAILABLE',
        serviceType: 'DELIVERY',
        serviceTiming: { timing: ['INSTANT'] },
        menuId: uuid('menu', 1),
        serviceArea: {
          id: uuid('area', 1),
          geoRadius: {
            geoMidpointLatitude: -23.5535,
            geoMidpointLongitude: -46.6873,
            radius: [{ size: 3000, price: { value: 7.9, currency: 'BRL' }, estimateDeliveryTime: 40 }],
          },
        },
        serviceHours: { id: uuid('hours', 1), weekHours: [evening], holidayHours: [] },
      },
      {
        id: uuid('service', 2),
        status: 'AVAILABLE',
        serviceType: 'TAKEOUT',
        menuId: uuid('menu', 1),
        serviceHours: { id: uuid('hours', 2), weekHours: [evening], holidayHours: [] },
      },
    ],
    menus: [
      {
        id: uuid('menu', 1),
        name: 'Evening',
        externalCode: 'MENU-1',
        categoryId: [uuid('category', 1), uuid('category', 2)],
      },
    ],
    categories: [
      {
        id: uuid('category', 1),
        index: 0,
        name: 'Pizzas',
        externalCode: 'CAT-1',
        status: 'AVAILABLE',
        itemOfferId: [uuid('offer', 1), uuid('offer', 2)],
      },
      {
        id: uuid('category', 2),
        index: 1,
        name: 'Drinks',
        externalCode: 'CAT-2',
        status: 'AVAILABLE',
        itemOfferId: [uuid('offer', 3)],
      },
    ],
    itemOffers: [
      offer(1, 0, 54.9, [uuid('group', 1)], 59.9),
      offer(2, 1, 49.9, [uuid('group', 1)]),
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
        id: uuid('group', 1),
        index: 0,
        name: 'Crust',
        externalCode: 'G-1',
        status: 'AVAILABLE',
        minPermitted: 0,
        maxPermitted: 1,
        priceMethod: 'SUM',
        options: [
          {
            id: uuid('option', 1),
            itemId: uuid('item', 4),
            index: 0,
            status: 'AVAILABLE',
            price: price(9.9),
            maxPermitted: 1,
          },
        ],
      },
    ],
    availabilities: [{ id: uuid('availability', 1), hours: [evening] }],
  };
}

/** A delivery order of that store after the standard's v1.7.0. */
export function orderFixture(orderId: string, displayId: string, createdAt: string): Json {
  const reais = (value: number) => ({ value, currency: 'BRL' });
  return {
    id: orderId,
    type: 'DELIVERY',
    displayId,
    createdAt,
    orderTiming: 'INSTANT',
    preparationStartDateTime: createdAt,
    merchant: { id: `12345678000195-${uuid('merchant', 1)}`, name: 'Forno da Vila' },
    items: [
      {
        id: uuid('item', 1),
        index: 0,
        name: 'Margherita',
        externalCode: 'P-1',
        unit: 'UN',
        quantity: 1,
        unitPrice: reais(54.9),
        totalPrice: reais(54.9),
      },
    ],
    otherFees: [{ name: 'Delivery', type: 'DELIVERY_FEE', receivedBy: 'MERCHANT', price: reais(7.9) }],
    total: { itemsPrice: reais(54.9), otherFees: reais(7.9), discount: reais(0), orderAmount: reais(62.8) },
    payments: {
      prepaid: 62.8,
      pending: 0,
      methods: [{ value: 62.8, currency: 'BRL', type: 'PREPAID', method: 'PIX' }],
    },
    customer: {
      id: uuid('customer', 1),
      name: 'Ana',
      phone: { number: '11991234567' },
      ordersCountOnMerchant: 3,
    },
    delivery: {
      deliveredBy: 'MERCHANT',
      deliveryAddress: {
        country: 'BR',
        state: 'SP',
        city: 'São Paulo',
        district: 'Pinheiros',
        street: 'Rua dos Pinheiros',
        number: '500',
        formattedAddress: 'Rua dos Pinheiros, 500',
        postalCode: '05422-000',
        coordinates: { latitude: -23.5663, longitude: -46.6822 },
      },
      estimatedDeliveryDateTime: createdAt,
    },
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
];

/** The same id every time, so that a test can name it. */
function uuid(kind: string, number: number): string {
  const first = (KINDS.indexOf(kind) + 1).toString(16).padStart(8, '0');
  return `${first}-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
}

/** Ids that no two mock hubs share, in the order in which they were made. */
export function idSequence(): () => string {
  const prefix = randomUUID().slice(0, 8);
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-0000-4000-8000-${count.toString(16).padStart(12, '0')}`;
  };
}
