import { diffMerchants, HubClient, Menu } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';

const priced = (value: unknown) => ({ value, originalValue: value, currency: 'BRL' });
const PIZZA = { id: 'pizza', itemId: 'item', price: priced(20) };

/** A document with one offer. */
const documentWith = (more: object) => ({
  lastUpdate: '2026-01-01T00:00:00Z',
  TTL: 500,
  id: 'm',
  basicInfo: { name: 'Pizzeria' },
  services: [],
  menus: [],
  categories: [],
  itemOffers: [PIZZA],
  items: [{ id: 'item', name: 'Pizza' }],
  optionGroups: [],
  availabilities: [],
  ...more,
});

function clientOf(document: () => object): HubClient {
  const fetch = async () => Response.json(document());
  const clock = new ManualClock();
  return new HubClient({ baseUrl: 'https://hub.example', apiKey: 'k', logger: false, clock, fetch });
}

async function menuOf(more: object): Promise<Menu> {
  await using hub = clientOf(() => documentWith(more));
  const { merchant } = await hub.merchant.get();
  return new Menu(merchant, { timeZone: 'America/Sao_Paulo' });
}

const at = (local: string) => Date.parse(`${local}:00-03:00`);

describe('a document from the hub', () => {
  it.each([{ value: '4,50' }, 'R$ 4,50', { value: null }, {}, [4.5]])(
    'gives no option away: %j',
    async (price) => {
      const options = [{ id: 'o', itemId: 'item', price }];
      const group = { id: 'g', minPermitted: 0, maxPermitted: 3, priceMethod: 'SUM', options };
      const menu = await menuOf({
        itemOffers: [{ ...PIZZA, optionGroupsId: ['g'] }],
        optionGroups: [group],
      });
      const choice = { offerId: 'pizza', options: [{ groupId: 'g', optionId: 'o' }] };
      expect(() => menu.price(choice)).toThrow("has no option 'o'");
      expect(menu.price({ offerId: 'pizza' }).total.value).toBe(20);
    },
  );

  const EVENING = { startTime: '17:00:00', endTime: '22:00:00' };
  const MONDAY = { dayOfWeek: ['MONDAY'], timePeriods: EVENING };
  const TUESDAY_NOON = at('2026-01-06T12:00');
  const serviceWith = (weekHours: unknown) => [
    { id: 's', serviceHours: { id: 'h', weekHours, holidayHours: [{ date: '2026-12-25' }] } },
  ];
  async function isOpen(weekHours: unknown, instant: number): Promise<boolean> {
    const menu = await menuOf({ services: serviceWith(weekHours) });
    return menu.isAvailable(menu.services[0] as (typeof menu.services)[0], instant);
  }

  it.each([
    ['no end', [MONDAY, { dayOfWeek: ['TUESDAY'], timePeriods: { startTime: '10:00:00' } }]],
    ['no period', [MONDAY, { dayOfWeek: ['TUESDAY'] }]],
    ['null', [MONDAY, { dayOfWeek: ['TUESDAY'], timePeriods: null }]],
    ['days in another language', [{ dayOfWeek: ['SEG', 'QUA'], timePeriods: EVENING }]],
  ])('closes no store whose hours cannot be read: %s', async (_what, weekHours) => {
    expect(await isOpen(weekHours, TUESDAY_NOON)).toBe(true);
    expect(await isOpen(weekHours, at('2026-12-25T12:00'))).toBe(false);
  });

  it('leaves a day closed that has an empty list of periods', async () => {
    expect(await isOpen([MONDAY, { dayOfWeek: ['TUESDAY'], timePeriods: [] }], TUESDAY_NOON)).toBe(false);
  });

  it('leaves out an area of which a corner cannot be read, because the others are another area', async () => {
    const corners = [
      [0, 0],
      [0, 9],
      [null, 5],
      [9, 9],
      [9, 0],
    ].map(([latitude, longitude]) => ({ latitude, longitude }));
    const polygon = [{ geoCoordinates: corners, price: priced(5) }];
    const whole = [{ geoCoordinates: corners.filter(({ latitude }) => latitude !== null), price: priced(7) }];
    const place = { latitude: 6, longitude: 6 };
    const quote = async (areas: object) => {
      const menu = await menuOf({ services: [{ id: 's', serviceType: 'DELIVERY', serviceArea: areas }] });
      return menu.deliveryQuote(menu.services[0] as (typeof menu.services)[0], place);
    };
    expect(await quote({ polygon: [...polygon, ...whole] })).toMatchObject({ price: { value: 7 } });
    expect(await quote({ polygon: whole, exclusionAreaPolygon: polygon })).toMatchObject({ delivers: true });
  });

  it('is compared by the offer that Menu sells, if several have one id', async () => {
    const dangling = { ...PIZZA, itemId: 'gone' };
    let document = documentWith({ itemOffers: [dangling, PIZZA] });
    await using hub = clientOf(() => document);
    const before = await hub.merchant.get();
    document = documentWith({ itemOffers: [dangling, { ...PIZZA, price: priced(99) }] });
    const { merchant } = await hub.merchant.get({ fresh: true });
    expect(merchant).not.toBe(before.merchant);
    expect(new Menu(merchant).price({ offerId: 'pizza' }).total.value).toBe(99);
    const { changed } = diffMerchants(before.merchant, merchant).itemOffers;
    expect(changed.map(({ paths }) => paths)).toEqual([
      [
        ['price', 'value'],
        ['price', 'originalValue'],
      ],
    ]);
  });

  it.each(['R$', 'brl', ''])('sells with a minimum order in no currency: %j', async (currency) => {
    const menu = await menuOf({ basicInfo: { name: 'P', minOrderValue: { value: 10, currency } } });
    expect(menu.priceCart({ items: [{ offerId: 'pizza' }] }).total.value).toBe(20);
  });

  it('is not opened by a menu or a category that no service reaches', async () => {
    const weekHours = [MONDAY];
    const document = {
      services: [{ id: 's', menuId: 'm', serviceHours: { id: 'h', weekHours } }],
      menus: [
        { id: 'm', categoryId: ['c'] },
        { id: 'old', categoryId: ['c'] },
      ],
      categories: [
        { id: 'c', itemOfferId: ['pizza'] },
        { id: 'old', itemOfferId: ['pizza'] },
      ],
    };
    const menu = await menuOf(document);
    const pizza = menu.find('offer', 'pizza') as NonNullable<ReturnType<typeof menu.find<'offer'>>>;
    expect(menu.isAvailable(pizza, TUESDAY_NOON)).toBe(false);
    expect(menu.isAvailable(pizza, at('2026-01-05T18:00'))).toBe(true);
  });

  it('opens first where its zone is ahead', async () => {
    const weekHours = [
      { dayOfWeek: ['MONDAY'], timePeriods: { startTime: '14:00:00', endTime: '15:00:00' } },
      { dayOfWeek: ['MONDAY'], timePeriods: { startTime: '22:30:00Z', endTime: '23:00:00Z' } },
    ];
    const menu = await menuOf({ services: [{ id: 's', serviceHours: { id: 'h', weekHours } }] });
    const opens = menu.opensAt(menu.services[0] as (typeof menu.services)[0], at('2026-05-31T21:30'));
    expect(opens).toBe(at('2026-06-01T14:00'));
  });
});
