import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: 'opendelivery-client/testing', replacement: here('./src/testing/index.ts') },
      { find: 'opendelivery-client', replacement: here('./src/index.ts') },
    ],
  },
  test: { include: ['test/**/*.test.ts'], testTimeout: 20_000 },
});
