import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { anchorsOf, GUIDES, linksOf, pathOf, readText } from './blocks.js';

/** What an assistant for coding reads of the package. */
const text = readText('llms.txt');

describe('llms.txt', () => {
  it('lists every guide once, with a line of its own', () => {
    const lines = text.split('\n').filter((line) => /^- \[/.test(line));
    for (const guide of GUIDES) {
      const found = lines.filter((line) => linksOf(line).includes(guide));
      // The translation of a guide stands beside it.
      expect([guide, found.length]).toEqual([guide, 1]);
      expect(found[0]).toMatch(/^- \[[^\]]+\]\([^)]+\): \S.*\.$/);
    }
  });

  it('leads to files and headings that exist', () => {
    const missing = linksOf(text).filter((link) => {
      const [path = '', anchor] = link.split('#');
      if (!existsSync(pathOf(path))) return true;
      return anchor !== undefined && !anchorsOf(readText(path)).includes(anchor);
    });
    expect(linksOf(text).length).toBeGreaterThan(50);
    expect(missing).toEqual([]);
  });

  it('has at most 120 lines, and is in the package', () => {
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
    const manifest = JSON.parse(readText('package.json')) as { readonly files: readonly string[] };
    expect(manifest.files).toContain('llms.txt');
  });
});
