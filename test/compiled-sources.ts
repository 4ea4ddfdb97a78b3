import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { globSync } from 'tinyglobby';
import type { Plugin } from 'vitest/config';
import { compileFileByFile } from './compile.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = join(root, 'src/');

/** Vitest does not transform what is below a `node_modules`: Node.js loads it. */
const CACHE = join(root, 'node_modules/.cache');

/**
 * Lets tests import the sources as JavaScript that was compiled once. Otherwise each
 * worker transforms and evaluates three hundred files with Vitest's module runner.
 *
 * Stack traces then show the compiled files; `npm run test:watch` shows the sources.
 */
export function compiledSources(): Plugin {
  let compiled: Promise<string> | undefined;
  return {
    name: 'compiled-sources',
    enforce: 'pre',
    async resolveId(id, importer, options) {
      const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
      if (!resolved?.id.startsWith(SOURCES)) return resolved;
      compiled ??= compileSources();
      return join(await compiled, 'src', resolved.id.slice(SOURCES.length).replace(/\.ts$/, '.js'));
    },
  };
}

/** @returns the folder that has `src/`, compiled file by file. It exists as long as this process. */
export async function compileSources(): Promise<string> {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'sources-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await compileFileByFile(globSync('src/**/*.ts', { cwd: root }), folder);
  const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { imports: object };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', imports }));
  return folder;
}
