import { stateContract } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { type DocumentTable, documentState } from '../../examples/own-state.js';

/** A table in memory. Calls at the same time come between its reads and writes. */
function emptyTable(): DocumentTable {
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

// #region suite
describe('documentState', () => {
  const cases = stateContract(async () => {
    const table = emptyTable(); // an empty one for each case
    const open = () => documentState(table);
    return { state: open(), reopen: async () => open(), close: async () => {} };
  });
  for (const { name, run } of cases) it(name, () => expect(run()).resolves.toBeUndefined());
});
// #endregion
