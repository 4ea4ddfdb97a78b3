import { readdirSync } from 'node:fs';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { clientOf, logged } from '../../support.js';
import { itKeepsTheContract } from './contract.js';
import { DRIVERS, fileStateWithout } from './drivers.js';
import { openState, temporaryDirectory } from './support.js';

/** With `node:sqlite` in this Node, libsql is the other library that the tests have. */
const isNodeSqlite = process.getBuiltinModule('node:sqlite') !== undefined;

describe('the library for SQLite', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('that is missing is a ConfigurationError that names what to install, and no file is made', async () => {
    const fileState = await fileStateWithout(DRIVERS);
    const directory = temporaryDirectory();
    expect(() => fileState(directory)).toThrow(
      expect.objectContaining({
        code: 'configuration',
        message: expect.stringMatching(
          /^fileState: needs SQLite.*\(Node \d+\.\d+\.\d+\).*npm install better-sqlite3@12 or libsql, or use Node 22\.13 or later$/,
        ),
      }),
    );
    expect(readdirSync(directory)).toEqual([]);
  });

  it('that is installed and cannot be loaded is named with its error', async () => {
    const fileState = await fileStateWithout(DRIVERS, 'ERR_DLOPEN_FAILED');
    expect(() => fileState(temporaryDirectory())).toThrow(
      /\(better-sqlite3 is installed and fails: cannot load better-sqlite3\)/,
    );
  });

  it('is in the health of a poller and in the log, at the level debug', () => {
    const state = openState(temporaryDirectory());
    expect(state.driver).toBe(isNodeSqlite ? 'node:sqlite' : 'libsql');
    const { lines, logger } = logged();
    const mock = createMockHub({ clock: new ManualClock() });
    const { hub } = clientOf(mock, { state, logger, clock: new ManualClock() });
    expect(hub.poller().health().stateDriver).toBe(state.driver);
    expect(lines).toContain(`debug: opendelivery-client: fileState uses ${state.driver}`);
  });
});

describe.skipIf(!isNodeSqlite)('fileState with libsql where there is node:sqlite', async () => {
  const fileState = await fileStateWithout(['node:sqlite']);
  const { findDriver } = await import('../../../src/state/sqlite/driver.js');
  const { name } = findDriver();
  vi.restoreAllMocks();

  it('uses libsql', () => {
    expect(name).toBe('libsql');
  });

  itKeepsTheContract(fileState);
});
