import { defineConfig, type Options } from 'tsup';

const shared: Options = {
  entry: { index: 'src/index.ts', 'testing/index': 'src/testing/index.ts' },
  target: 'node20',
  platform: 'node',
  splitting: true,
  sourcemap: false,
  treeshake: true,
};

export default defineConfig([
  { ...shared, format: 'esm', dts: true, clean: true },
  // p-retry is published as ESM only, which Node 20.18 cannot `require`: the CommonJS build carries it.
  { ...shared, format: 'cjs', dts: true, noExternal: ['p-retry', 'is-network-error'] },
]);
