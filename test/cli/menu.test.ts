import { readFileSync } from 'node:fs';
import { createMockHub, type MerchantChange } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { fileWith } from '../temporary.js';
import { exits, hubInEnvironment } from './support.js';

const EVENING = '--time-zone America/Sao_Paulo --at 2026-01-05T21:00-03:00';
const NOON = '--time-zone America/Sao_Paulo --at 2026-01-05T12:00-03:00';

type Draft = Parameters<Extract<MerchantChange, (...args: never[]) => unknown>>[0];

/** Writes the mock hub's merchant document to a file, with changes. */
function menuFile(change: (merchant: Draft) => void): string {
  const merchant = createMockHub().merchant() as Draft;
  change(merchant);
  return fileWith(JSON.stringify(merchant), 'menu.json');
}

it('prints categories, prices, discounts and options of an open store', async () => {
  const { clock, mock } = await hubInEnvironment();
  const ran = await exits(0, `menu ${EVENING}`, { clock });
  const lines = ran.out.replaceAll('\u00a0', ' ');
  for (const said of [
    'Forno da Vila',
    'DELIVERY open',
    '  Pizzas\n',
    'R$ 54,90 instead of R$ 59,90',
    'Crust (choose 0 to 1): Filled crust + R$ 9,90',
    'no issues',
  ]) {
    expect(lines).toContain(said);
  }
  expect(mock.requests.map(({ endpoint }) => endpoint)).toEqual(['merchant']);
});

it('marks a closed service, and says when it opens', async () => {
  const ran = await exits(0, `menu --file ${menuFile(() => {})} ${NOON}`);
  expect(ran.out).toContain('DELIVERY [closed: outside its hours, opens 2026-01-05T20:00:00.000Z]');
  expect(ran.out).toContain('Pizzas [closed: the service is outside its hours]');
});

it('lists all issues of the document and of its references at the end', async () => {
  const file = menuFile((merchant: Draft) => {
    merchant.categories[0].itemOfferId.push('nowhere');
    delete merchant.items[0].status;
  });
  const ran = await exits(0, `menu --file ${file} ${EVENING}`);
  expect(ran.out).toContain(
    'categories.0.itemOfferId.2: itemOffers has no entry with this id (dangling, against sense)',
  );
  expect(ran.out).toContain('items.0.status');
});

it.each(['--file', 'from the hub'])(
  'counts the entries as the hub sent them, also behind a broken one: %s',
  async (from) => {
    const { clock, mock } = await hubInEnvironment();
    const breakFirst = (merchant: Draft) => {
      merchant.itemOffers.unshift({ id: 'broken' });
      merchant.itemOffers[2].itemId = 'nowhere';
      merchant.itemOffers.push({ ...merchant.itemOffers[1], id: 'orphan' });
    };
    mock.publishMerchant(breakFirst);
    const file = from === '--file' ? `--file ${menuFile(breakFirst)}` : '';
    const ran = await exits(0, `menu ${file} ${EVENING}`, { clock });
    expect(ran.out).toMatch(/^ {2}itemOffers\.0: .*\(left_out/m);
    expect(ran.out).toContain('itemOffers.2.itemId: items has no entry with this id');
    expect(ran.out).toContain('itemOffers.4: no category refers to it');
  },
);

it('reads a time without a zone in that of --time-zone', async () => {
  const ran = await exits(
    0,
    `menu --file ${menuFile(() => {})} --time-zone America/Sao_Paulo --at 2026-01-05T18:00`,
  );
  expect(ran.out).toContain('DELIVERY open');
});

it('marks the options of a group that is sold out', async () => {
  const file = menuFile((merchant: Draft) => {
    merchant.optionGroups[0].status = 'UNAVAILABLE';
  });
  const ran = await exits(0, `menu --file ${file} ${EVENING}`);
  expect(ran.out.replaceAll('\u00a0', ' ')).toContain('Filled crust + R$ 9,90 [not available]');
});

it('writes a self-contained HTML page, with all texts escaped', async () => {
  const file = menuFile((merchant: Draft) => {
    merchant.items[0].name = '<script>alert(1)</script>';
    merchant.basicInfo.name = '"Forno" & Söhne';
    merchant.itemOffers[1].status = 'UNAVAILABLE';
  });
  const page = `${file}.html`;
  await exits(0, `menu --file ${file} ${EVENING} --html ${page}`);
  const html = readFileSync(page, 'utf8');
  expect(html).toContain('<h1>&quot;Forno&quot; &amp; Söhne</h1>');
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(html).not.toMatch(/<script|src=|href=|url\(/);
  expect(html).toContain('<b class="closed">not available</b>');
  const shown = await exits(0, `menu --file ${file} ${EVENING} --html`);
  expect(shown.out).toBe(`${html}\n`);
});

it.each([
  ['menu --at yesterday', "'yesterday' is not a date"],
  ['menu --at=-3', "'-3' is not a date"],
  ['menu --file nowhere.json', 'nowhere.json cannot be read'],
  ['menu --time-zone Mars/Olympus', "'Mars/Olympus' is not an IANA time zone"],
])('`%s` exits with 2 and says why', async (commandLine, reason) => {
  const { clock } = await hubInEnvironment();
  const ran = await exits(2, commandLine, { clock });
  expect(ran.err).toContain(reason);
});

it('lists an offer without a category once, also if its id is there twice', async () => {
  const file = menuFile((merchant: Draft) => {
    const [first] = merchant.itemOffers;
    merchant.itemOffers.push({ ...first, id: 'unlisted' }, { ...first, id: 'unlisted' });
  });
  const ran = await exits(0, `menu --json --file ${file} ${EVENING}`);
  expect(JSON.parse(ran.out).unlisted).toHaveLength(1);
});

it('prints amounts as numbers with their currency in JSON', async () => {
  const file = menuFile((merchant: Draft) => {
    merchant.itemOffers[2].price = { value: 12.5, originalValue: 12.5, currency: 'USD' };
  });
  const ran = await exits(0, `menu --json --file ${file} ${EVENING}`);
  // biome-ignore lint/suspicious/noExplicitAny: the test checks the document
  const { services } = JSON.parse(ran.out) as any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const offers = services[0].menu.categories.flatMap((category: any) => category.offers) as any[];
  expect(offers.map(({ price, before }) => [price, before])).toEqual([
    [
      { value: 54.9, currency: 'BRL' },
      { value: 59.9, currency: 'BRL' },
    ],
    [expect.objectContaining({ currency: 'BRL' }), undefined],
    [{ value: 12.5, currency: 'USD' }, undefined],
  ]);
  const [group] = offers.flatMap(({ groups }) => groups);
  expect(group).toMatchObject({ minPermitted: 0, maxPermitted: 1, priceMethod: 'SUM' });
  expect(group.options[0].price).toEqual({ value: 9.9, currency: 'BRL' });
});

it.each([
  ['an array', '[]'],
  ['an order', '{"orderDisplayId":"1"}'],
])('`menu --file` with %s exits with 2, because it is not a merchant document', async (_, content) => {
  const file = fileWith(content, 'menu.json');
  const ran = await exits(2, `menu --file ${file}`);
  expect(ran.err).toContain('is not a merchant document');
});

it('says in one sentence why the page cannot be written', async () => {
  const ran = await exits(2, `menu --file ${menuFile(() => {})} ${EVENING} --html /nowhere/page.html`);
  expect(ran.err).toContain('--html: /nowhere/page.html cannot be written: no such file');
  expect(ran.err).not.toContain('ENOENT');
});
