import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** `npm test` runs the short versions; `npm run test:long` (mode `long`) those at length. */
export default defineConfig(({ mode }) => ({
  resolve: {
    alias: [
      { find: 'opendelivery-client/redis', replacement: here('./src/redis.ts') },
      { find: 'opendelivery-client/testing', replacement: here('./src/testing/index.ts') },
      { find: 'opendelivery-client', replacement: here('./src/index.ts') },
    ],
  },
  test: {
    include: mode === 'long' ? ['test/long/**/*.test.ts'] : ['test/**/*.test.ts'],
    exclude: mode === 'long' ? [] : ['test/long/**'],
    // Two cores would get one worker.
    maxWorkers: '100%',
    testTimeout: 120_000,
  },
}));
