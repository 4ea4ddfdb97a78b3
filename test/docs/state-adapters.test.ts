import { stateContract } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { documentState } from '../../examples/own-state.js';
import { emptyTable } from './document-table.js';

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
