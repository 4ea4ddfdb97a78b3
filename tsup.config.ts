import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { defineConfig, type Options } from 'tsup';
import { ownClassNames } from './.ci/class-names.mjs';
import { toCommonJs } from './.ci/commonjs.mjs';
import { consolePageApart, writeConsolePage } from './.ci/console-page.mjs';
import { notices } from './.ci/notices.mjs';

/** The entries of the package, for `import` and for `require`. */
const entry = {
  index: 'src/index.ts',
  bullmq: 'src/bullmq.ts',
  hosts: 'src/hosts.ts',
  menu: 'src/menu.ts',
  nestjs: 'src/nestjs.ts',
  opentelemetry: 'src/opentelemetry.ts',
  redis: 'src/redis.ts',
  schemas: 'src/schemas.ts',
  sql: 'src/sql.ts',
  'testing/index': 'src/testing/index.ts',
};

const modules: Options = {
  target: 'node20',
  platform: 'node',
  format: 'esm',
  splitting: true,
  removeNodeProtocol: false,
  // The `imports` of package.json decide where the package is used. An application of Nest has its core.
  external: ['#undici', '@nestjs/core'],
  loader: { '.sql': 'text' },
  plugins: [ownClassNames],
};

/** What CommonJS is made of. */
const STAGE = 'node_modules/.cache/commonjs';

/** `import`, and a Worker. */
const esm: Options = {
  ...modules,
  entry: {
    ...entry,
    edge: 'src/edge.ts',
    'undici-left-out': 'src/http/undici-left-out.ts',
    // Not an entry of the package: with it, what only `Menu` needs has a chunk of its own, which bundlers leave out as a whole.
    // Of its single parts they keep what they cannot prove to be without effect: 6 kB of a Worker.
    client: 'src/client.ts',
  },
  esbuildPlugins: [consolePageApart],
  // The types of both formats are the same, so that a client of one is accepted by the other.
  onSuccess: async () => {
    await writeConsolePage('dist', await readFile('src/testing/console/page-file.ts', 'utf8'));
    for (const name of Object.keys(entry)) {
      await writeFile(`dist/${name}.d.ts`, `export * from './${basename(name)}.cjs';\n`);
    }
    await writeFile('dist/edge.d.ts', EDGE_TYPES);
  },
};

/** `require`, and the command line: one file with commander inside, so that consumers install nothing more. */
const commonJs: Options = {
  ...modules,
  entry: { ...entry, 'cli/index': 'src/cli/index.ts' },
  outDir: STAGE,
  clean: true,
  // p-retry is published as ESM only, which Node 20.18 cannot `require`; only the command line needs commander.
  noExternal: ['p-retry', 'is-network-error', 'commander'],
  esbuildPlugins: [notices('dist'), consolePageApart],
  onSuccess: async () => {
    const input = [...Object.keys(entry), 'cli/index'].map((name) => [name, `${STAGE}/${name}.js`]);
    await toCommonJs({ input: Object.fromEntries(input), dir: 'dist' });
  },
};

/** tsup makes types in a process of its own, without `onSuccess`. */
const types: Options = {
  entry,
  format: 'cjs',
  // `await using` needs this name, which neither every `lib` nor every consumer's Node types bring.
  dts: {
    only: true,
    banner: '/// <reference lib="esnext.disposable" />',
    // What the constructors of our own parts are given is not in the public types.
    compilerOptions: { stripInternal: true },
  },
};

const EDGE_TYPES = `export * from './index.cjs';
/**
 * Not on this platform, which has no persistent file system. Use \`redisState\` or \`postgresState\`,
 * or implement \`State\` over the platform's storage.
 *
 * @throws {ConfigurationError} always.
 */
export declare function fileState(dir: string): never;
`;

export default defineConfig(async ({ dts }) => {
  // Here, because the three builds run beside each other.
  await rm('dist', { recursive: true, force: true });
  // `--no-dts`, for the benches, would make code of what is only for types.
  return dts === false ? [esm, commonJs] : [esm, commonJs, types];
});
