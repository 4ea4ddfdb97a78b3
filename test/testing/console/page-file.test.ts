import { brotliDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { consolePage } from '../../../.ci/console-file.js';
import { english } from '../../../console/english.js';
import { portuguese } from '../../../console/portuguese.js';
import { PAGE } from '../../../src/testing/console/page-file.js';

const packed = JSON.parse(brotliDecompressSync(Buffer.from(PAGE, 'base64')).toString()) as Record<
  string,
  string
>;

it('is what `npm run generate` makes of console/', async () => {
  const built = await consolePage();
  expect(Object.keys(packed)).toEqual(Object.keys(built));
  for (const [name, content] of Object.entries(built)) expect(packed[name] === content, name).toBe(true);
});

it('loads nothing from another host and has no inline code', () => {
  const { 'index.html': html = '', 'page.css': css = '', 'page.js': js = '' } = packed;
  expect([...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)).toEqual([
    'data:,',
    '/_mock/ui/page.css',
    '/_mock/ui/page.js',
  ]);
  expect(html).not.toMatch(/<script[^>]*>[^<]|<style|\son\w+=/);
  expect(css).not.toMatch(/url\(|@import/);
  expect(js).not.toMatch(/https?:\/\//);
  expect(js).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
});

it('has every text in both languages', () => {
  const keysOf = (value: unknown, path = ''): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => keysOf(inner, `${path}.${key}`))
      : [path];
  expect(keysOf(portuguese).sort()).toEqual(keysOf(english).sort());
});
