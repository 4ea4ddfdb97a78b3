import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { globSync } from 'tinyglobby';
import type { TestProject } from 'vitest/node';
import { compileFileByFile, FOR_NODE } from './compile.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder in which `programOf` finds compiled programs. */
    readonly programs: string;
  }
}

const root = fileURLToPath(new URL('..', import.meta.url));

/** Dependencies are found from here as they are from the sources. */
const CACHE = join(root, 'node_modules/.cache');

const ENTRIES = {
  index: 'src/index.ts',
  bullmq: 'src/bullmq.ts',
  hosts: 'src/hosts.ts',
  menu: 'src/menu.ts',
  nestjs: 'src/nestjs.ts',
  opentelemetry: 'src/opentelemetry.ts',
  redis: 'src/redis.ts',
  schemas: 'src/schemas.ts',
  sql: 'src/sql.ts',
  testing: 'src/testing/index.ts',
};

/**
 * Compiles what tests start as processes, once for all of them: a process that
 * compiles TypeScript itself takes three times as long to start.
 *
 * The folder is laid out as the repository. In it, `opendelivery-client` is
 * this package.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'programs-'));
  const self = join(folder, 'node_modules/opendelivery-client');
  const sources = globSync(['src/**/*.ts', 'test/**/*.ts', 'examples/**/*.ts'], {
    cwd: root,
    ignore: ['**/*.test.ts', '**/*.setup.ts', '**/node_modules/**'],
  });
  await Promise.all([
    build({ ...FOR_NODE, entryPoints: ENTRIES, outdir: self, splitting: true }),
    compileFileByFile(sources, folder),
  ]);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(
    join(self, 'package.json'),
    JSON.stringify({
      name: 'opendelivery-client',
      type: 'module',
      exports: {
        '.': './index.js',
        './bullmq': './bullmq.js',
        './hosts': './hosts.js',
        './menu': './menu.js',
        './nestjs': './nestjs.js',
        './opentelemetry': './opentelemetry.js',
        './redis': './redis.js',
        './schemas': './schemas.js',
        './sql': './sql.js',
        './testing': './testing.js',
      },
    }),
  );
  for (const asset of ['examples/ordering-app/public']) await symlink(join(root, asset), join(folder, asset));
  project.provide('programs', folder);
  return () => rm(folder, { recursive: true, force: true });
}
