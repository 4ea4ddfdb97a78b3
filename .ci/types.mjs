/** The package's types, compiled as consumers do it, with nothing skipped. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ENTRIES } from './entries.mjs';
import { peers } from './nodes.mjs';
import { manifest, root, run } from './workshop.mjs';

/** TypeScript's versions, each with what an application of its time has beside it. */
const COMPILERS = [
  { typescript: '5.9', node: '20', msw: '2.15', undici: '7' },
  { typescript: '7', node: '26', msw: '3', undici: '8' },
];

const STRICT = {
  target: 'es2022',
  lib: ['es2022'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  declaration: true,
  outDir: 'out',
};

/** `kinds`: the extensions of the sources, which say whether they import or require. */
const CONSUMERS = [
  { name: 'node16', kinds: ['mts', 'cts'], sources: ['uses', 'doors'], options: { module: 'node16' } },
  { name: 'nodenext', kinds: ['mts', 'cts'], sources: ['uses', 'doors'], options: { module: 'nodenext' } },
  {
    name: 'bundler',
    kinds: ['ts'],
    sources: ['uses', 'doors'],
    options: { module: 'esnext', moduleResolution: 'bundler' },
  },
  {
    name: 'mocks',
    kinds: ['mts', 'cts'],
    sources: ['mocks'],
    // MSW's types need those of a browser.
    options: { module: 'nodenext', lib: ['es2022', 'dom', 'dom.iterable'] },
  },
  {
    name: 'javascript',
    kinds: ['cjs'],
    sources: ['orders'],
    options: { module: 'nodenext', allowJs: true, checkJs: true },
  },
  // Nothing of Node's is named in the types, so an application need not have its types.
  {
    name: 'without Node',
    kinds: ['mts', 'cts'],
    sources: ['uses'],
    isAlone: true,
    options: { module: 'nodenext', lib: ['es2022', 'dom'], types: [] },
  },
];

const FILES = {
  uses: join(root, '.ci/types/uses.ts'),
  mocks: join(root, '.ci/types/mocks.ts'),
  orders: join(root, 'examples/consumer-ci/app/orders.cjs'),
};

export function types(shop) {
  return COMPILERS.flatMap((compiler) =>
    CONSUMERS.map((consumer) => async () => {
      await compile(await (consumer.isAlone ? alone : accompanied)(shop, compiler), consumer);
      console.log(
        `typescript ${compiler.typescript}: ${consumer.name} (${consumer.kinds.join(', ')}) compiles`,
      );
    }),
  );
}

function accompanied(shop, { typescript, node, msw, undici }) {
  const others = [`@types/node@${node}`, `msw@${msw}`, `undici-of-the-app@npm:undici@${undici}`, ...peers];
  return shop.project(`typescript-${typescript}`, `typescript@${typescript}`, ...others);
}

function alone(shop, { typescript }) {
  return shop.project(`typescript-${typescript}-alone`, `typescript@${typescript}`);
}

async function compile(project, { name, kinds, sources, options }) {
  const folder = join(project, name);
  await mkdir(folder);
  for (const kind of kinds) {
    for (const source of sources) {
      const file = join(folder, `${source}.${kind}`);
      if (source === 'doors') await writeFile(file, DOORS);
      else await copyFile(FILES[source], file);
    }
  }
  const compilerOptions = { ...STRICT, moduleResolution: options.module, ...options };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  await run(join(project, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: folder });
}

/** Every entry under a name of its own. */
const DOORS = ENTRIES.map(
  ({ path }, at) => `export * as door${at} from '${join(manifest.name, path)}';\n`,
).join('');
