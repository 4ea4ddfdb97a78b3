import { defineConfig, type Options } from 'tsup';
import { notices } from './.ci/notices.mjs';

const entry = {
  index: 'src/index.ts',
  menu: 'src/menu.ts',
  redis: 'src/redis.ts',
  'testing/index': 'src/testing/index.ts',
};

const shared: Options = {
  entry,
  target: 'node20',
  platform: 'node',
  splitting: true,
  sourcemap: true,
  // The package has src/ beside dist/: the maps name its files and do not repeat them.
  esbuildOptions: (options) => {
    options.sourcesContent = false;
  },
};

/** `await using` needs this name, which neither every `lib` nor every consumer's Node types bring. */
const dts = { banner: '/// <reference lib="esnext.disposable" />' };

export default defineConfig([
  { ...shared, format: 'esm', dts, clean: true },
  {
    ...shared,
    entry: { ...entry, 'cli/index': 'src/cli/index.ts' },
    format: 'cjs',
    dts: { entry, ...dts },
    // Each entry whole: tsup splits CommonJS by way of ESM, and not all of it comes back.
    splitting: false,
    // Lazily required, not imported: jest has no `import()` in CommonJS.
    esbuildOptions: (options) => {
      options.sourcesContent = false;
      options.supported = { ...options.supported, 'dynamic-import': false };
    },
    // p-retry is published as ESM only, which Node 20.18 cannot `require`; only the command line needs commander.
    noExternal: ['p-retry', 'is-network-error', 'commander'],
    esbuildPlugins: [notices()],
  },
]);
