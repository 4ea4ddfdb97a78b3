import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

it('a promise that nobody waits for is found, also behind an overload, a generic or a union', () => {
  // Inside the repository, so that the imports are found.
  const folder = mkdtempSync(join(root, 'node_modules/.cache/floating-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const config = join(folder, 'tsconfig.json');
  writeFileSync(config, '{"compilerOptions":{"strict":true,"target":"es2022","moduleResolution":"bundler"}}');
  const lines = [
    "import fc from 'fast-check';",
    'const anyText = fc.string();',
    'fc.assert(fc.asyncProperty(anyText, async () => true));',
    'fc.assert(fc.property(anyText, () => true));',
    'await fc.assert(fc.asyncProperty(anyText, async () => true));',
    'declare function perhaps(): void | Promise<void>;',
    'perhaps();',
    'void perhaps();',
    'Promise.resolve().catch(() => {});',
    'Promise.resolve().then(() => {}, () => {});',
    'Promise.resolve().then(() => {});',
    'Promise.resolve().catch(() => {}).finally(() => {});',
    'let kept: Promise<void> | undefined;',
    'kept ??= Promise.resolve();',
    'Math.random() > 2 && Promise.reject(kept);',
  ];
  writeFileSync(join(folder, 'one.ts'), lines.join('\n'));
  const { status, stderr } = spawnSync(process.execPath, ['.ci/floating-promises.mjs', config], {
    cwd: root,
    encoding: 'utf8',
  });
  const found = [...stderr.matchAll(/one\.ts:(\d+): /g)].map(([, line]) => Number(line));
  expect({ status, found }).toEqual({ status: 1, found: [3, 7, 11, 12, 15] });
});
