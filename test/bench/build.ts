import { execSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { build } from 'esbuild';
import { root } from './packages.js';

const CONFIGURATION = ['package.json', 'tsup.config.ts'];

/**
 * Builds the package if `dist/` is missing or older than a source: the benches
 * measure what is published. It builds no types, which take ten times as long.
 */
export function buildIfStale(): void {
  const sources = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' }).map(
    (path) => `src/${path}`,
  );
  const changedAt = Math.max(...[...sources, ...CONFIGURATION].map(changedAtOf));
  if (changedAtOf('dist/index.js') >= changedAt) return;
  console.log('dist/ is missing or older than its sources: building it');
  execSync('npm run build --silent -- --no-dts', { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** In epoch ms; 0 if the file does not exist. */
const changedAtOf = (path: string) => statSync(root + path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Where the contenders are, compiled. Next to the packages of the peers, or they would not be found. */
export const COMPILED = `${root}test/bench/.contenders`;

/** Compiles the files in `contenders/`: a process that compiles TypeScript itself takes three times as long to start. */
export async function compileContenders(): Promise<void> {
  const folder = `${root}test/bench/contenders/`;
  await build({
    entryPoints: readdirSync(folder).map((name) => folder + name),
    outdir: COMPILED,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    tsconfigRaw: {},
    logLevel: 'warning',
  });
}
