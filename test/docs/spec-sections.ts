import { readdirSync } from 'node:fs';
import { pathOf, readText } from './blocks.js';

/** Sections of another document that the source names: RFC 9110 is not the hub's spec. */
const OTHER = /RFC \d+ §[\d.]+/g;

/** Every section of the hub's spec that a file of `src` or a guide names, such as `4.3`. */
export function specSectionsOf(): string[] {
  const sources = readdirSync(pathOf('src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `src/${name}`);
  const sections = sources.flatMap((file) =>
    [
      ...readText(file)
        .replace(OTHER, '')
        .matchAll(/§(\d+(?:\.\d+)*)(?:–(\d+(?:\.\d+)*))?/g),
    ].flatMap(([, first = '', last]) => (last === undefined ? [first] : [first, last])),
  );
  return [...new Set(sections)].sort();
}
