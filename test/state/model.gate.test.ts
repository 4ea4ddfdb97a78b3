import type { OpenState } from 'opendelivery-client/testing';
import { describe, it } from 'vitest';
import { documentState } from '../../examples/own-state.js';
import { emptyTable } from '../docs/document-table.js';
import { runs } from '../runs.js';
import { expectSameResults } from './model.js';

const ADAPTERS: readonly (readonly [name: string, open: OpenState])[] = [
  [
    'the adapter of docs/state-adapters.md',
    () => {
      const table = emptyTable();
      const reopen = async () => documentState(table);
      return { state: documentState(table), reopen, close: async () => {} };
    },
  ],
];

describe('any sequence of operations has the same results as in memoryState', () => {
  it.each(ADAPTERS)('in %s, reopened at any point', async (_name, open) => {
    await expectSameResults(open, runs(100));
  });
});
