import Module from 'node:module';
import { vi } from 'vitest';

type Load = (name: string, ...others: unknown[]) => unknown;

/** The libraries for SQLite, the preferred one first. */
export const DRIVERS = ['node:sqlite', 'bun:sqlite', 'better-sqlite3', 'libsql'];

/** `fileState` in a process that does not have these libraries, until `vi.restoreAllMocks()`. */
export async function fileStateWithout(hidden: readonly string[], code = 'MODULE_NOT_FOUND') {
  const { getBuiltinModule } = process;
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(((name: string) =>
    hidden.includes(name) ? undefined : getBuiltinModule.call(process, name as never)) as never);
  const module = Module as unknown as { _load: Load };
  const { _load } = module;
  vi.spyOn(module, '_load').mockImplementation((name, ...others) => {
    if (!hidden.includes(name)) return _load.call(module, name, ...others);
    throw Object.assign(new Error(`cannot load ${name}`), { code });
  });
  vi.resetModules();
  const { fileState } = await import('../../../src/state/sqlite/file-state.js');
  return fileState;
}
