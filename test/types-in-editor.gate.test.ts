import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { compilerOptions, root } from './public-types.js';

/** What an application writes. A comment marks the identifier after it. */
const SOURCE = `
import { HubClient, Menu } from 'opendelivery-client';

const hub = new HubClient({ baseUrl: 'https://hub.example' });
const { order: /*order*/order } = await hub.orders.get('1');
const { merchant: /*merchant*/merchant } = await hub.merchant.get();
export const total = order./*total*/total?./*orderAmount*/orderAmount?./*value*/value;
for (const /*item*/item of order.items) console.log(item./*quantity*/quantity, item.options);
for (const /*payment*/payment of order.payments?.methods ?? []) console.log(payment./*changeFor*/changeFor);
if (order.delivery) {
  const /*delivery*/delivery = order.delivery;
  console.log(delivery./*deliveryAddress*/deliveryAddress);
}
for (const /*service*/service of merchant.services) console.log(service.serviceArea?./*geoRadius*/geoRadius);
for (const /*offer*/offer of merchant.itemOffers) console.log(offer.price./*originalValue*/originalValue);
hub.poller({ /*leaseMs*/leaseMs: 45_000 }).on('CANCELLED', (/*event*/event) => console.log(event./*metadata*/metadata?./*reason*/reason));
for (const service of new Menu(merchant).services) console.log(service./*menuId*/menuId);
`;

interface Hover {
  /** The declaration, as an editor shows it. */
  readonly text: string;
  readonly description: string;
}

/** What an editor shows when the pointer is over a marked identifier. */
function hovers(source: string): (mark: string) => Hover {
  const file = `${root}test/example-in-editor.ts`;
  const options = compilerOptions();
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const text = path === file ? source : ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  const errors = [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)];
  if (errors.length > 0) throw new Error(errors.map(({ messageText }) => messageText).join('\n'));
  return (mark) => {
    const comment = `/*${mark}*/`;
    const at = source.indexOf(comment);
    const info = at < 0 ? undefined : service.getQuickInfoAtPosition(file, at + comment.length);
    if (!info) throw new Error(`no hover at ${mark}`);
    return {
      text: ts.displayPartsToString(info.displayParts),
      description: ts.displayPartsToString(info.documentation),
    };
  };
}

describe('an editor', () => {
  const hover = hovers(SOURCE);

  it.each([
    ['order', 'const order: Order'],
    ['merchant', 'const merchant: Merchant'],
    ['item', 'const item: OrderItem'],
    ['payment', 'const payment: OrderPayment'],
    ['delivery', 'const delivery: OrderDelivery'],
    ['service', 'const service: Service'],
    ['offer', 'const offer: Offer'],
    ['event', '(parameter) event: OrderEvent<"CANCELLED">'],
    ['total', '(property) total?: OrderTotal | undefined'],
    ['orderAmount', '(property) orderAmount?: Money | undefined'],
    ['deliveryAddress', '(property) deliveryAddress?: DeliveryAddress | undefined'],
    ['geoRadius', '(property) geoRadius?: GeoRadius | undefined'],
    ['metadata', '(property) metadata?: CancellationMetadata | undefined'],
  ])('shows %s as `%s`', (mark, text) => {
    expect(hover(mark).text).toBe(text);
  });

  it.each([
    ['total', /sums/],
    ['orderAmount', /costs/],
    ['value', /reais, not cents/],
    ['quantity', /unit/],
    ['changeFor', /change/],
    ['deliveryAddress', /deliver/],
    ['geoRadius', /Circles/],
    ['originalValue', /promotion/],
    ['metadata', /Details/],
    ['reason', /free text/],
    ['menuId', /id of an entry of `menus`/],
    ['leaseMs', /lease lasts/],
  ])('describes the property %s', (mark, meaning) => {
    expect(hover(mark).description).toMatch(meaning);
  });
});
