import { ConfigurationError } from '../../errors.js';
import type { State } from '../port.js';
import { prepareDirectory } from './directory.js';
import { DirectoryState } from './directory-state.js';
import { toStateError } from './errors.js';

/** State in a directory, which this process has until it closes the state or ends. */
export interface FileState extends State {
  /**
   * Completes the writes in progress and gives the directory back, for all
   * users of it in this process. Later calls of any method reject.
   */
  close(): Promise<void>;
  /** Calls `close`, at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** All copies of this package in a process find each other's open states here. */
const OPEN_STATES = Symbol.for('opendelivery-client.fileState');

/**
 * State that survives a restart, a crash and a power cut: tokens, quotas,
 * handled events and the merchant document, in the files of one directory.
 * Before a method resolves, its change is on the disk. Two changes follow with
 * the next one, and only a power cut loses them: that a slot frees earlier than
 * reserved, and that `recall` renews a mark.
 *
 * One process has the directory at a time. Clients of one process that name the
 * same directory share one state. The directory must be on a local disk: on a
 * network file system nothing is guaranteed, use `redisState` there.
 *
 * Damaged files are reported by `process.emitWarning`, with the code
 * `OPENDELIVERY_STATE`; whatever can be read is used.
 *
 * @param dir - path of a directory that nothing else uses; created with mode
 * 0700 if it does not exist.
 * @throws {StateError} another live process has the directory, other users can
 * write to it, or this one cannot.
 * @throws {ConfigurationError} `dir` is not a path.
 */
export function fileState(dir: string): FileState {
  if (typeof dir !== 'string' || dir === '' || dir.includes('\0')) {
    throw new ConfigurationError('dir', "must be the path of a directory such as './hub-state'");
  }
  const directory = prepare(dir);
  const states = openStates();
  const open = states.get(directory);
  if (open?.isHeldNow()) return open;
  // Its directory was removed, or taken over by another process.
  void open?.close().catch(() => {});
  const state = new DirectoryState(directory, () => {
    if (states.get(directory) === state) states.delete(directory);
  });
  states.set(directory, state);
  return state;
}

function prepare(dir: string): string {
  try {
    return prepareDirectory(dir);
  } catch (error) {
    throw toStateError('creating', dir, error);
  }
}

function openStates(): Map<string, DirectoryState> {
  const shared = globalThis as { [OPEN_STATES]?: Map<string, DirectoryState> };
  shared[OPEN_STATES] ??= new Map();
  return shared[OPEN_STATES];
}
