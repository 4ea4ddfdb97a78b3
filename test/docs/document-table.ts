import type { DocumentTable } from '../../examples/own-state.js';

/** A table in memory. Calls at the same time come between its reads and writes. */
export function emptyTable(): DocumentTable {
  const rows = new Map<string, { document: string; version: number }>();
  return {
    read: async (key, clock) => ({ version: 0, ...rows.get(key), now: clock.now() }),
    write: async (key, document, version) => {
      if ((rows.get(key)?.version ?? 0) !== version) return false;
      rows.set(key, { document, version: version + 1 });
      return true;
    },
  };
}
