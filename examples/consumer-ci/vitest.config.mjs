import { defineConfig } from 'vitest/config';

// Without this file, vitest would use the configuration of a parent folder.
export default defineConfig({ test: { include: ['test/*.test.mjs'], testTimeout: 60_000 } });
