import { vi } from 'vitest';

/** Resolves when `check` no longer throws. The limit is for a loaded machine; a test that passes never waits for it. */
export const soon = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 20_000 });
