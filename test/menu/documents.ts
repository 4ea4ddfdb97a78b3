import { CartError, type CartFault, Menu, type Merchant } from 'opendelivery-client';

/** A part of a document, which a test may change. */
export type Part = { [key: string]: unknown };

/** A document with these keys only. Its values need not be valid. */
export const documentOf = (parts: object): Merchant => parts as Merchant;

export const brl = (value: number, originalValue?: number): Part => ({
  value,
  currency: 'BRL',
  ...(originalValue !== undefined && { originalValue }),
});

/** An item and an offer of it. */
export const sold = (id: string, value: number, more: Part = {}): { offer: Part; item: Part } => ({
  offer: { id, itemId: `item-${id}`, price: brl(value), ...more },
  item: { id: `item-${id}`, name: `Item ${id}` },
});

export const hoursOn = (days: readonly string[], startTime: string, endTime: string): Part => ({
  dayOfWeek: days,
  timePeriods: { startTime, endTime },
});

export const EVERY_DAY = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];

export interface Pizzeria {
  readonly services: Part[];
  readonly menus: Part[];
  readonly categories: Part[];
  readonly itemOffers: Part[];
  readonly items: Part[];
  readonly optionGroups: Part[];
  readonly availabilities: Part[];
  [key: string]: unknown;
}

/** A valid document with one entry of each kind; a new one at each call. */
export function pizzeria(): Pizzeria {
  return {
    services: [
      {
        id: 'delivery',
        serviceType: 'DELIVERY',
        menuId: 'menu',
        serviceHours: { weekHours: [hoursOn(EVERY_DAY, '08:00:00', '22:00:00')], holidayHours: [] },
        serviceArea: {
          geoRadius: {
            geoMidpointLatitude: 0,
            geoMidpointLongitude: 0,
            radius: [{ size: 5, price: brl(7), estimateDeliveryTime: 30 }],
          },
          polygon: [square(0, 0, 1, brl(5))],
          exclusionAreaPolygon: [square(0.5, 0.5, 0.1)],
        },
      },
    ],
    menus: [{ id: 'menu', name: 'Menu', categoryId: ['pizzas'] }],
    categories: [
      {
        id: 'pizzas',
        index: 0,
        name: 'Pizzas',
        itemOfferId: ['margherita'],
        availabilityId: ['evenings'],
      },
    ],
    itemOffers: [
      {
        id: 'margherita',
        itemId: 'pizza',
        index: 0,
        price: brl(40, 45),
        optionGroupsId: ['crust'],
        availabilityId: ['evenings'],
      },
    ],
    items: [
      { id: 'pizza', name: 'Margherita', image: { URL: 'https://img.example/p.png' }, images: [] },
      { id: 'filled', name: 'Filled crust' },
    ],
    optionGroups: [
      {
        id: 'crust',
        index: 0,
        name: 'Crust',
        minPermitted: 0,
        maxPermitted: 2,
        priceMethod: 'SUM',
        options: [{ id: 'cheese', itemId: 'filled', index: 0, price: brl(9), maxPermitted: 2 }],
      },
    ],
    availabilities: [
      {
        id: 'evenings',
        startDate: '2026-01-01',
        endDate: '2026-12-31',
        hours: [hoursOn(EVERY_DAY, '17:00:00', '23:00:00')],
      },
    ],
  };
}

/** A square area around a midpoint; `half` is half the length of a side in degrees. */
export function square(latitude: number, longitude: number, half: number, price?: Part): Part {
  const corner = (up: number, right: number) => ({
    latitude: latitude + up * half,
    longitude: longitude + right * half,
  });
  const geoCoordinates = [corner(1, -1), corner(1, 1), corner(-1, 1), corner(-1, -1)];
  return price ? { geoCoordinates, price, estimateDeliveryTime: 45 } : { geoCoordinates };
}

/** The issues of a document: `dangling menus.0.categoryId.1`. */
export const issuesOf = (document: object): string[] =>
  new Menu(documentOf(document)).issues.map(({ code, path }) => `${code} ${path.join('.')}`);

/** The faults of a cart that cannot be priced. */
export function faultsOf(price: () => unknown): readonly CartFault[] {
  try {
    price();
  } catch (error) {
    if (error instanceof CartError) return error.faults;
    throw error;
  }
  return [];
}

/** A value that the test expects to be defined. */
export function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the value is undefined');
  return value;
}
