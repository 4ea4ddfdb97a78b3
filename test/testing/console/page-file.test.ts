import { createMockHub } from 'opendelivery-client/testing';
import { beforeAll, expect, it } from 'vitest';
import { consolePage } from '../../../.ci/console-file.js';
import { english } from '../../../src/testing/console/page/english.js';
import { portuguese } from '../../../src/testing/console/page/portuguese.js';

/** The files of the page, as the console serves them. */
const served: Record<string, string> = {};

beforeAll(async () => {
  const { url, close } = await createMockHub().listen();
  for (const [name, path] of [
    ['index.html', ''],
    ['page.css', 'page.css'],
    ['page.js', 'page.js'],
  ] as const) {
    served[name] = await (await fetch(`${url}/_mock/ui/${path}`)).text();
  }
  await close();
});

it('is what `npm run generate` makes of its sources', async () => {
  const built = await consolePage();
  expect(Object.keys(built).sort()).toEqual(Object.keys(served).sort());
  for (const [name, content] of Object.entries(built)) expect(served[name] === content, name).toBe(true);
});

it('loads nothing from another host and has no inline code', () => {
  const { 'index.html': html = '', 'page.css': css = '', 'page.js': js = '' } = served;
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

it('keeps the acknowledgment of an event and the confirmation of an order apart, in both languages', () => {
  const textsOf = (value: unknown): string[] => {
    if (typeof value === 'function') return [String(value(2, 2, 2))];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [`${value}`];
  };
  const translated = textsOf(portuguese);
  const pairs = textsOf(english).map((text, index) => [text, translated[index]] as const);
  const differ = (ours: RegExp, theirs: RegExp) =>
    pairs.filter(([text, translation]) => ours.test(text) !== theirs.test(`${translation}`));
  expect(pairs.length).toBeGreaterThan(200);
  expect(differ(/acknowledg/i, /\backs?\b/i)).toEqual([]);
  expect(differ(/\bconfirm/i, /\bconfirm/i)).toEqual([]);
});

it('has every text in both languages', () => {
  const keysOf = (value: unknown, path = ''): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => keysOf(inner, `${path}.${key}`))
      : [path];
  expect(keysOf(portuguese).sort()).toEqual(keysOf(english).sort());
});
