import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { DOCUMENTS, NAMES } from './documents.js';
import { ReaderGenerator } from './generator.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const BIOME = `${root}node_modules/@biomejs/biome/bin/biome`;

/** Every generated file, formatted: its path in the repository, and its content. */
export function generatedFiles(): Map<string, string> {
  const files = new ReaderGenerator(NAMES).generate(DOCUMENTS);
  return new Map(
    [...files].map(([name, code]) => {
      const path = `src/reading/generated/${name}.ts`;
      return [path, formatted(path, code)];
    }),
  );
}

function formatted(path: string, code: string): string {
  const args = [BIOME, 'check', '--write', '--stdin-file-path', path];
  return execFileSync(process.execPath, args, { cwd: root, input: code, encoding: 'utf8' });
}
