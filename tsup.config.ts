import { defineConfig, type Options } from 'tsup';

const shared: Options = {
  entry: { index: 'src/index.ts', 'testing/index': 'src/testing/index.ts' },
  target: 'node20',
  platform: 'node',
  splitting: true,
  sourcemap: false,
};

export default defineConfig([
  { ...shared, format: 'esm', dts: true, clean: true },
  {
    ...shared,
    format: 'cjs',
    dts: true,
    // Each entry whole: tsup splits CommonJS by way of ESM, and not all of it comes back.
    splitting: false,
    // Lazily required, not imported: jest has no `import()` in CommonJS.
    esbuildOptions: (options) => {
      options.supported = { ...options.supported, 'dynamic-import': false };
    },
    // Published as ESM only, which Node 20.18 cannot `require`: the CommonJS build carries it.
    noExternal: ['p-retry', 'is-network-error'],
  },
]);
