/** Compiles code against the package's types as consumers do, without `skipLibCheck`. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ENTRIES } from './entries.mjs';
import { peersWith } from './nodes.mjs';
import { manifest, root, run } from './workshop.mjs';

/**
 * The versions of TypeScript, each with the other packages that an application of that time has. The old one takes five
 * times as long, so it compiles the two kinds of module resolution and the mocks only.
 */
const COMPILERS = [
  { typescript: '5.9', node: '20', msw: '2.15', undici: '7', consumers: ['nodenext', 'bundler', 'mocks'] },
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

/** `kinds`: the extensions of the sources; they decide whether a source is ESM or CommonJS. */
const CONSUMERS = [
  { name: 'node16', kinds: ['mts', 'cts'], sources: ['uses', 'entries'], options: { module: 'node16' } },
  {
    name: 'nodenext',
    kinds: ['mts', 'cts'],
    sources: ['uses', 'entries', 'node'],
    options: { module: 'nodenext' },
  },
  {
    name: 'bundler',
    kinds: ['ts'],
    sources: ['uses', 'entries'],
    options: { module: 'esnext', moduleResolution: 'bundler' },
  },
  {
    name: 'mocks',
    kinds: ['mts', 'cts'],
    sources: ['mocks'],
    // MSW's types need the browser's types.
    options: { module: 'nodenext', lib: ['es2022', 'dom', 'dom.iterable'] },
  },
  {
    name: 'javascript',
    kinds: ['cjs'],
    sources: ['orders'],
    options: { module: 'nodenext', allowJs: true, checkJs: true },
  },
  // What the platform does not have is missing in the types too.
  {
    name: 'workers',
    kinds: ['ts'],
    sources: ['uses', 'edge'],
    options: { module: 'esnext', moduleResolution: 'bundler', customConditions: ['workerd'] },
  },
  // The package's types use no type of Node, so an application can do without `@types/node`.
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
  edge: join(root, '.ci/types/edge.ts'),
  node: join(root, '.ci/types/node.ts'),
  orders: join(root, 'examples/consumer-ci/app/orders.cjs'),
};

export function types(workshop) {
  return COMPILERS.flatMap((compiler) =>
    CONSUMERS.filter(({ name }) => compiler.consumers?.includes(name) ?? true).map((consumer) => async () => {
      const withPeers = await projectWithPeers(workshop, compiler);
      const project = consumer.isAlone ? await workshop.project('plain') : withPeers;
      await compile(compiler.typescript, join(withPeers, 'node_modules/.bin/tsc'), project, consumer);
      console.log(
        `typescript ${compiler.typescript}: ${consumer.name} (${consumer.kinds.join(', ')}) compiles`,
      );
    }),
  );
}

function projectWithPeers(workshop, { typescript, node, msw, undici }) {
  const others = [
    `@types/node@${node}`,
    `msw@${msw}`,
    `undici-of-the-app@npm:undici@${undici}`,
    ...peersWith('11'),
  ];
  return workshop.project(`typescript-${typescript}`, `typescript@${typescript}`, ...others);
}

async function compile(typescript, tsc, project, { name, kinds, sources, options }) {
  const folder = join(project, `${name} ${typescript}`);
  await mkdir(folder);
  for (const kind of kinds) {
    for (const source of sources) {
      const file = join(folder, `${source}.${kind}`);
      if (source === 'entries') await writeFile(file, IMPORT_ENTRIES);
      else await copyFile(FILES[source], file);
    }
  }
  const compilerOptions = { ...STRICT, moduleResolution: options.module, ...options };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  await run(tsc, ['-p', folder], { cwd: folder });
}

/** Imports every entry of the package. */
const IMPORT_ENTRIES = ENTRIES.map(
  ({ path }, index) => `export * as entry${index} from '${join(manifest.name, path)}';\n`,
).join('');
