import { defineConfig } from 'vitest/config';

// Of its own, or vitest would take one of the folders above.
export default defineConfig({ test: { include: ['test/*.test.mjs'] } });
