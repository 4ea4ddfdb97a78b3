import { ConfigurationError } from '../../errors/index.js';
import { localStates, type State } from '../port.js';
import { Connection } from './connection.js';
import { prepareFile } from './database-file.js';
import { findDriver } from './driver.js';
import { toStateError } from './failure.js';
import { sqliteState } from './sqlite-state.js';

/** State in a file, until it is closed. */
export interface FileState extends State {
  /** The library for SQLite in use, such as 'node:sqlite'. */
  readonly driver: string;
  /** Closes the file, for all users of it in this process. Later calls of any method reject. */
  close(): Promise<void>;
  /** Calls `close`, at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** All copies of this package in a process find each other's open states here. */
const OPEN_STATES = Symbol.for('opendelivery-client.fileState.sqlite');

/**
 * State that survives a restart, a crash and a power cut: tokens, quotas,
 * handled events and the merchant document, in an SQLite database. Any number of
 * processes of one host can share it; clients of one process that name the same
 * file share one state.
 *
 * It measures with the client's clock. Before a method resolves, marks of events
 * and new fences are on the disk. The other changes survive the end of the
 * process, but a power cut can lose the last of them.
 *
 * The file must be on a local disk: on a network file system nothing is
 * guaranteed, use `redisState` or `postgresState` there. SQLite comes with Node
 * 22.13 and later (`node:sqlite`) and with Bun; on Node 20 install
 * `better-sqlite3` or `libsql`.
 *
 * @param path - a file such as `./hub.db`, or a directory such as `./hub-state`,
 * in which it makes `state.db`; created for this user only (mode 0600, directories 0700).
 * @throws {ConfigurationError} `path` is not a path, or there is no SQLite; the message says what to install.
 * @throws {StateError} other users can write to the file or its directory, this
 * one cannot, it is damaged, or another version or program wrote it.
 */
export function fileState(path: string): FileState {
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    throw new ConfigurationError('path', "must be the path of a file or directory such as './hub-state'");
  }
  const driver = findDriver();
  const file = prepare(path);
  const states = openStates();
  const open = states.get(file);
  if (open?.isCurrent()) return open.state;
  void open?.state.close();
  const connection = new Connection(driver, file);
  const close = async () => {
    connection.close();
    if (states.get(file)?.state === state) states.delete(file);
  };
  const state: FileState = {
    ...sqliteState(connection),
    driver: driver.name,
    close,
    [Symbol.asyncDispose]: close,
  };
  localStates.add(state);
  states.set(file, { state, isCurrent: () => connection.isCurrent });
  return state;
}

function prepare(path: string): string {
  try {
    return prepareFile(path);
  } catch (error) {
    throw toStateError('creating', path, error);
  }
}

interface OpenState {
  readonly state: FileState;
  /** Whether the file is still the one that its path means. */
  isCurrent(): boolean;
}

function openStates(): Map<string, OpenState> {
  const shared = globalThis as { [OPEN_STATES]?: Map<string, OpenState> };
  shared[OPEN_STATES] ??= new Map();
  return shared[OPEN_STATES];
}
