import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { toCommonJs } from '../.ci/commonjs.mjs';
import { temporaryDirectory } from './temporary.js';

it('the CommonJS half requires its own parts when they are needed, and can import a module of the user', async () => {
  const directory = temporaryDirectory();
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const entry = file(
    'entry.js',
    "export const own = () => import('./part.js'); export const platform = () => import('node:path'); export const load = (url) => import(url);",
  );
  file('part.js', 'export const part = 1;');
  const profile = file('profile.mjs', 'export default { basePath: "/of-the-user" };');
  await toCommonJs({ input: { entry }, dir: join(directory, 'out') });
  const code = readFileSync(join(directory, 'out/entry.cjs'), 'utf8');
  expect(code.match(/\bimport\(/g)).toHaveLength(1);
  const made = createRequire(import.meta.url)(join(directory, 'out/entry.cjs')) as {
    readonly [name: string]: (url?: string) => Promise<{ readonly default: unknown; readonly part: number }>;
  };
  expect((await made.own?.())?.part).toBe(1);
  expect((await made.load?.(pathToFileURL(profile).href))?.default).toEqual({ basePath: '/of-the-user' });
});
