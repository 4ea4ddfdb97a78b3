import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { compilerOptions, root, undocumented } from './public-types.js';

/** Every entry of the package, as `tsconfig.json` lists them. */
const ENTRIES = Object.values(compilerOptions().paths ?? {}).flat();

/** Properties that need no description, as `Type.property`. */
const EXCEPTIONS: readonly string[] = [];

/** @param contents - files that do not exist, by path. */
function programOf(
  entries: readonly string[],
  contents: ReadonlyMap<string, string> = new Map(),
): ts.Program {
  // No public property is declared by a package, and without their types the program is made in half the time.
  const options = { ...compilerOptions(), types: [] };
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (names, file) =>
    names.map(({ text }) =>
      text.startsWith('.') ? ts.resolveModuleName(text, file, options, host) : { resolvedModule: undefined },
    );
  const { readFile } = host;
  host.readFile = (path) => contents.get(path) ?? readFile(path);
  return ts.createProgram(
    entries.map((entry) => join(root, entry)),
    options,
    host,
  );
}

it('every property of every public type has a description', () => {
  expect(ENTRIES).toContain('./src/index.ts');
  const missing = undocumented(programOf(ENTRIES));
  expect(missing.filter((each) => !EXCEPTIONS.includes(each.replace(/ .*/, '')))).toEqual([]);
});
