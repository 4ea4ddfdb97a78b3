import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { codeBlocksOf, pathOf, readText, withCurrentCode } from '../docs/blocks.js';

const READMES = ['README.md', 'README.pt-BR.md'];

it.each(READMES)(
  '%s takes its TypeScript from files that tests run, and its commands from the gate',
  (file) => {
    // UPDATE_DOCS=1 writes the current code into it.
    if (process.env.UPDATE_DOCS) writeFileSync(pathOf(file), withCurrentCode(readText(file)));
    const readme = readText(file);
    expect(readme).toBe(withCurrentCode(readme));
    const blocks = codeBlocksOf(readme);
    expect(blocks.map(({ language, source, code }) => [language, source ?? code])).toEqual([
      ['sh', 'npm ci && npm run demo\n'],
      ['ts', 'examples/twenty-lines.ts'],
      ['sh', 'npm test\n'],
    ]);
  },
);

it('has the same code blocks and the same structure in both languages', () => {
  const [english = '', portuguese = ''] = READMES.map(readText);
  expect(codeBlocksOf(portuguese)).toEqual(codeBlocksOf(english));
  const levelsOf = (readme: string) => (readme.match(/^#+ /gm) ?? []).map((mark) => mark.length);
  expect(levelsOf(portuguese)).toEqual(levelsOf(english));
  const rowsOf = (readme: string) => readme.match(/^(?:[-|]) /gm)?.length;
  expect(rowsOf(portuguese)).toBe(rowsOf(english));
});

it.each(READMES)('%s has at most 120 lines', (file) => {
  expect(readText(file).trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});

it('gives the same figures in both languages', () => {
  const figuresOf = (file: string, name: string) => {
    const [, paragraph = ''] = readText(file).split(name);
    return (paragraph.split('\n\n')[0]?.match(/\d[\d.,]*\d|\d/g) ?? []).map((figure) =>
      figure.replace(/[.,]/g, ''),
    );
  };
  const english = figuresOf('README.md', '**The figures behind them**');
  expect(english.length).toBeGreaterThan(10);
  expect(figuresOf('README.pt-BR.md', '**Os números por trás delas**')).toEqual(english);
});
