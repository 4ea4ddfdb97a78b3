/**
 * Prints the menu of the embedded mock hub, or with `--file menu.json` that of your
 * own merchant document. `--at` sets the time, `--zone` the store's time zone.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { HubClient, Menu } from 'opendelivery-client';
import { createMockHub } from 'opendelivery-client/testing';

const { file, zone, at } = parseArgs({
  options: {
    file: { type: 'string' },
    zone: { type: 'string', default: 'America/Sao_Paulo' },
    at: { type: 'string' },
  },
}).values;

const credentials = { clientId: '1001', clientSecret: 'secret', apiKey: 'key' };
const mock = createMockHub({
  stores: [
    { ...credentials, ...(file !== undefined && { merchant: JSON.parse(readFileSync(file, 'utf8')) }) },
  ],
});
await using hub = new HubClient({ baseUrl: mock.baseUrl, apiKey: credentials.apiKey, fetch: mock.fetch });

const { merchant, issues } = await hub.merchant.get();
const menu = new Menu(merchant, { timeZone: zone });
const now = at === undefined ? Date.now() : Date.parse(at);
const money = (value: number, currency: string) => `${value.toFixed(2)} ${currency}`;
/** Describes why an entry is not available; if a parent is the reason, it describes the parent. */
const mark = (entry: object) => {
  let why = menu.whyUnavailable(entry, now);
  while (why?.reason === 'parent') why = why.because;
  return why ? `  [closed: ${why.reason} of the ${why.kind}]` : '';
};

console.log(merchant.basicInfo.name ?? merchant.id);
for (const service of menu.services) {
  const opensAt = menu.opensAt(service, now);
  const opens = opensAt !== undefined && opensAt > now ? `, opens ${new Date(opensAt).toISOString()}` : '';
  console.log(`\n${service.serviceType}${mark(service)}${opens}`);
  for (const category of service.menu?.categories ?? []) {
    console.log(`\n  ${category.name}${mark(category)}`);
    for (const offer of category.offers) {
      const { value, originalValue = value, currency } = offer.price;
      const saving = originalValue > value ? `, you save ${money(originalValue - value, currency)}` : '';
      console.log(`    ${offer.item.name}: ${money(value, currency)}${saving}${mark(offer)}`);
      for (const group of offer.optionGroups) {
        const options = group.options.map(({ item, price }) => `${item?.name} +${price?.value ?? 0}`);
        console.log(`      ${group.name}: ${options.join(', ')}`);
      }
    }
  }
}
const all = [...issues, ...menu.issues];
console.log(`\n${all.length} issues`);
for (const { path, message } of all) console.log(`  ${path.join('.')}: ${message}`);
