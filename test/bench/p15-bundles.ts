import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { type Bench, OURS, type Row } from './bench.js';
import { root } from './packages.js';

/** What an application needs at least: the menu once, and the events. */
const README_PROGRAM = `
import { HubClient } from 'opendelivery-client';

const hub = new HubClient({
  baseUrl: 'https://hub.example',
  clientId: '1001',
  clientSecret: 'a secret',
  apiKey: 'a key',
});
const { merchant } = await hub.merchant.get();
console.log(merchant.basicInfo.name);

const poller = hub.poller();
poller.on('CREATED', async ({ orderId }) => {
  const { order } = await hub.orders.get(orderId);
  console.log(order);
  await hub.orders.confirm(orderId, { createdAt: new Date().toISOString() });
});
poller.on('error', (error) => console.error(error.message));
await poller.start();
`;

const MENU = `import { Menu } from 'opendelivery-client/menu'; console.log(new Menu(globalThis.document_));`;

const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  exports: Readonly<Record<string, unknown>>;
};

/** The minified bundle. It resolves this package through its own exports, as an application does. */
async function bundle(contents: string, options: BuildOptions): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root, loader: 'js' },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    logLevel: 'silent',
    // Without the paths of tsconfig.json, which lead to the sources.
    tsconfigRaw: {},
    ...options,
  });
  return outputFiles?.[0]?.contents ?? new Uint8Array();
}

async function row(name: string, bytes: () => Promise<number>, goal?: number): Promise<Row> {
  try {
    return { name, median: (await bytes()) / 1000, ...(goal !== undefined && { goal: { median: goal } }) };
  } catch (error) {
    const [first = ''] = error instanceof Error ? error.message.split('\n').slice(1) : [String(error)];
    return { name, note: `does not bundle: ${first}` };
  }
}

export const bench: Bench = {
  title: 'P15: bundles, minified by esbuild',
  goal: './menu at most 12 kB gzipped; the program of the README with the edge condition at most 140 kB',
  async *tables() {
    const node = { platform: 'node', target: 'node20' } as const;
    const browser = { platform: 'browser', target: 'es2022' } as const;
    // A Worker has these modules.
    const edge = { ...browser, conditions: ['workerd', 'worker', 'edge-light'], external: ['node:*'] };
    const rows = [
      await row(
        `${OURS}, the program of the README for Node`,
        async () => (await bundle(README_PROGRAM, node)).length,
      ),
      await row(
        `${OURS}, the program of the README for workerd`,
        async () => (await bundle(README_PROGRAM, edge)).length,
        140,
      ),
      './menu' in exports
        ? await row(
            `${OURS}/menu for a browser, gzipped`,
            async () => gzipSync(await bundle(MENU, browser)).length,
            12,
          )
        : { name: `${OURS}/menu for a browser, gzipped`, note: 'needs the entry ./menu' },
    ];
    yield { title: 'size', unit: 'kB', rows };
  },
};
