import { expect, it } from 'vitest';
import { plain } from '../../fixtures/plain.js';
import {
  type LimitRow,
  type MenuRow,
  opened,
  servedConsole,
  storesOf,
  type TokenRow,
  type ViolationRow,
} from './support.js';

/** A hub with several stores, and what its console shows of them. */
async function servedStores(count: number) {
  const stores = storesOf(...Array.from({ length: count }, (_, index) => `store-${index}`));
  const served = await servedConsole({ stores });
  const { mock, url } = served;
  const api = plain(mock);
  return {
    ...served,
    /** Requests the merchant document of a store. */
    read: (store: number, query = '') =>
      mock.fetch(`${mock.baseUrl}/opendelivery/v1/merchant${query}`, {
        headers: { 'x-api-key': `the-api-key-store-${store}` },
      }),
    issueToken: (store: number) => api.token(stores[store]),
    show: async <Row extends { readonly rank: number }>(query: string) => {
      const { about, rows } = await opened<Row>(url, query);
      return { about, rows: rows.sort((one, other) => one.rank - other.rank) };
    },
  };
}

it('shows the limits and tokens of every store, first after a 429, then by the fullest window', async () => {
  const { show, read, issueToken, mock } = await servedStores(4);
  for (let count = 0; count < 10; count += 1) await read(2);
  await issueToken(1);
  mock.faults.next('merchant', { status: 429, headers: { 'retry-after': '60' } });
  await read(3);
  const { about, rows } = await show<LimitRow | TokenRow>('limits');
  expect(about).toEqual({ total: 4, stores: ['store-3', 'store-2', 'store-1', 'store-0'] });
  const requests = (clientId: string) =>
    rows.flatMap((row) => ('times' in row && row.clientId === clientId ? [row.times.length] : []));
  expect(requests('store-0')).toEqual([0, 0, 0, 0, 0, 0]);
  expect(requests('store-1').sort()).toEqual([0, 0, 0, 0, 0, 1]);
  expect(requests('store-2').sort()).toEqual([0, 0, 0, 0, 0, 10].sort());
  expect(requests('store-3').sort()).toEqual([0, 0, 0, 0, 0, 1]);
  const tokens = rows.filter((row) => 'token' in row);
  expect(tokens).toMatchObject([{ clientId: 'store-1', token: '[token 1]' }]);
});

it('shows stores without requests in their own order, and one alone if the page has chosen it', async () => {
  const { show } = await servedStores(3);
  expect((await show('limits')).about?.stores).toEqual(['store-0', 'store-1', 'store-2']);
  const { about, rows } = await show('limits&clientId=store-1');
  expect(about).toEqual({ total: 1, stores: ['store-1'] });
  expect(rows).toHaveLength(6);
});

it('keeps the stores in their places while requests leave the windows', { tags: 'slow' }, async () => {
  const { url, clock, show, read } = await servedStores(3);
  await read(2);
  const { reader, about: first } = await opened(url, 'limits');
  expect(first?.stores).toEqual(['store-2', 'store-0', 'store-1']);
  await clock.advance('61s');
  const { set, about } = await reader.next();
  expect(set).toMatchObject([{ clientId: 'store-2', endpoint: 'merchant', times: [] }]);
  expect(about).toBeUndefined();
  for (let count = 0; count < 2; count += 1) await read(1);
  expect((await reader.next()).about?.stores).toEqual(['store-1', 'store-2', 'store-0']);
  // A page that asks now sees them by their present windows.
  expect((await show('limits')).about?.stores).toEqual(['store-1', 'store-0', 'store-2']);
});

it('shows the violations of one store, and those that belong to none', async () => {
  const { show, read, mock, clock } = await servedStores(3);
  for (let store = 0; store < 3; store += 1) await read(store, '?a=1');
  await mock.fetch(`${mock.baseUrl}/nowhere`);
  const { orderId } = mock.createOrder({ clientId: 'store-2' });
  for (let count = 0; count < 10; count += 1) await read(1); // the eleventh of this store
  await clock.advance('11m');
  const seen = async (query: string) => {
    const { about, rows } = await show<ViolationRow>(`violations${query}`);
    return { about, rows: rows.map(({ rule, clientId }) => [rule, clientId]) };
  };
  const none = ['unknown-path', undefined];
  expect(await seen('')).toEqual({
    about: {
      total: 6,
      counts: { 'event-filter': 3, 'unknown-path': 1, limit: 1, 'unanswered-order': 1 },
    },
    rows: [
      ['event-filter', 'store-0'],
      ['event-filter', 'store-1'],
      ['event-filter', 'store-2'],
      none,
      ['limit', 'store-1'],
      ['unanswered-order', 'store-2'],
    ],
  });
  expect((await seen('&clientId=store-0')).rows).toEqual([['event-filter', 'store-0'], none]);
  expect((await seen('&clientId=store-1')).rows).toEqual([
    ['event-filter', 'store-1'],
    none,
    ['limit', 'store-1'],
  ]);
  expect((await seen('&clientId=store-2')).about).toEqual({
    total: 3,
    counts: { 'event-filter': 1, 'unknown-path': 1, 'unanswered-order': 1 },
  });
  const { rows } = await show<ViolationRow>('violations&clientId=store-2');
  expect(rows.at(-1)).toMatchObject({ orderId });
});

it('shows the latest violations of each rule, so that a frequent one does not hide a rare one', async () => {
  const { show, read, mock } = await servedStores(1);
  await read(0, '?a=1');
  for (let count = 1; count <= 5; count += 1) await mock.fetch(`${mock.baseUrl}/nowhere/${count}`);
  const { about, rows } = await show<ViolationRow>('violations&limit=2');
  expect(rows.map(({ rule, path }) => [rule, path])).toEqual([
    ['event-filter', '/opendelivery/v1/merchant?a=1'],
    ['unknown-path', '/nowhere/4'],
    ['unknown-path', '/nowhere/5'],
  ]);
  expect(about).toEqual({ total: 6, counts: { 'event-filter': 1, 'unknown-path': 5 } });
});

it('shows the menu of the store that the page asks for, and how many offers it has', async () => {
  const { show, mock } = await servedStores(2);
  mock.publishMerchant(
    (merchant) => {
      merchant.items[0].name = 'Only here';
    },
    { clientId: 'store-1' },
  );
  const first = await show<MenuRow>('menu');
  expect(first.about).toMatchObject({ clientId: 'store-0', total: 6 });
  const second = await show<MenuRow>('menu&clientId=store-1&limit=1');
  expect(second.about).toMatchObject({ clientId: 'store-1', total: 6 });
  expect(second.rows).toMatchObject([{ clientId: 'store-1', name: 'Only here' }]);
});
