import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../src/', import.meta.url).href;

/** Every module that a file imports at run time, directly or not. */
function importsOf(url: string, found = new Set<string>()): Set<string> {
  if (found.has(url)) return found;
  found.add(url);
  const source = readFileSync(new URL(url), 'utf8');
  for (const [, target = ''] of source.matchAll(/^(?:import|export)\s(?!type\s)[^;]*?from '([^']+)';/gm)) {
    if (target.startsWith('.')) importsOf(new URL(target.replace(/\.js$/, '.ts'), url).href, found);
    else found.add(target);
  }
  return found;
}

it('a menu runs in a browser: it imports no module of Node and nothing that sends requests', () => {
  const found = [...importsOf(`${root}menu/menu.ts`)].map((url) => url.replace(root, ''));
  expect(found).toContain('menu/cart.ts');
  const outside = found.filter((name) => !/^(?:menu|schemas|errors)\//.test(name));
  expect(outside.sort()).toEqual(['errors.ts', 'zod']);
});
