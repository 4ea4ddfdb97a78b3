import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileState } from 'opendelivery-client';
import type { OpenState } from 'opendelivery-client/testing';
import { describe, it } from 'vitest';
import { documentState } from '../../examples/own-state.js';
import { emptyTable } from '../docs/document-table.js';
import { runs } from '../runs.js';
import { expectSameResults } from './model.js';
import { describeWithRedis } from './redis/server.js';
import { redisForSuite, redisStateAt } from './redis/support.js';

/** A state of a closed file, opened again, has everything that the closed one had. */
const openFile: OpenState = () => {
  const directory = mkdtempSync(join(tmpdir(), 'model-'));
  let state = fileState(directory);
  const reopen = async () => {
    await state.close();
    state = fileState(directory);
    return state;
  };
  const close = async () => {
    await state.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { state, reopen, close };
};

const openDocuments: OpenState = () => {
  const table = emptyTable();
  const reopen = async () => documentState(table);
  return { state: documentState(table), reopen, close: async () => {} };
};

describe('any sequence of operations has the same results as in memoryState', () => {
  it('in fileState, reopened at any point', () => expectSameResults(openFile, runs(60)));

  it('in the adapter of docs/state-adapter-example.md, reopened at any point', () =>
    expectSameResults(openDocuments, runs(100)));

  describeWithRedis('with a Redis', (startRedis) => {
    const clients = redisForSuite(startRedis);

    it('in redisState, reopened at any point', async () => {
      const open: OpenState = async (clock) => {
        await clients.ioredis.flushall();
        const reopen = async () => redisStateAt(clients, clock);
        return { state: await reopen(), reopen, close: async () => {} };
      };
      await expectSameResults(open, runs(100));
    });
  });
});
