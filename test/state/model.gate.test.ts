import { fileState } from 'opendelivery-client';
import type { OpenState } from 'opendelivery-client/testing';
import { describe, it } from 'vitest';
import { documentState } from '../../examples/own-state.js';
import { emptyTable } from '../docs/document-table.js';
import { runs } from '../runs.js';
import { openWith } from './file/contract.js';
import { expectSameResults } from './model.js';
import { describeWithRedis } from './redis/server.js';
import { redisForSuite, redisStateAt } from './redis/support.js';

const ADAPTERS: readonly (readonly [name: string, open: OpenState])[] = [
  ['fileState', openWith(fileState)],
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

  describeWithRedis('with a Redis', (startRedis) => {
    const clients = redisForSuite(startRedis);

    it('in redisState', async () => {
      let opened = 0;
      const open: OpenState = async (clock) => {
        opened += 1;
        const prefix = `model-${opened}:`;
        const state = redisStateAt(clients, clock, prefix);
        return { state, reopen: async () => redisStateAt(clients, clock, prefix), close: async () => {} };
      };
      await expectSameResults(open, runs(100));
    });
  });
});
