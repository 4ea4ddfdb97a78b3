import { expect, it } from 'vitest';
import { GUIDES, readText } from './blocks.js';

const DOCUMENTS = [...GUIDES, 'README.md', 'README.pt-BR.md', 'CONTRIBUTING.md', 'SECURITY.md'];

const DELIMITERS = /^\|(?: :?-+:? \|)+$/;

/** Cells of a row; a bar after a backslash is text, also in code. */
const cellsOf = (row: string) => row.slice(1, -1).split(/(?<!\\)\|/).length;

/** Lines that are not where a Markdown table has them, with what is wrong. */
function faultsOf(markdown: string): string[] {
  const withoutCode = markdown.replace(/^```[\s\S]*?^```$/gm, '');
  const paragraphs = withoutCode.split(/\n(?:[ \t]*\n)+/).map((text) => text.trim().split('\n'));
  return paragraphs
    .filter((lines) => lines.some((line) => line.startsWith('|')))
    .flatMap(([header = '', delimiters = '', ...rows]) => {
      if (!header.startsWith('|') || !DELIMITERS.test(delimiters)) return [`no header: ${header}`];
      return [header, delimiters, ...rows].flatMap((row) => {
        if (!/^\|.*\|$/.test(row)) return [`no row of the table above: ${row}`];
        return cellsOf(row) === cellsOf(header) ? [] : [`another number of cells: ${row}`];
      });
    });
}

it.each(DOCUMENTS)('every row of a table in %s is a line with the cells of its header', (file) => {
  expect(faultsOf(readText(file))).toEqual([]);
});

it('finds a row that is cut in two, one without a header, and one with a cell too many', () => {
  const table = '| a | b |\n| --- | --- |\n| 1 | 2 |';
  expect(faultsOf(`text\n\n${table}\n\n\`\`\`sh\n| no table |\n\`\`\`\n`)).toEqual([]);
  expect(faultsOf(`${table}\n| 3 | 4\nstill 4 |\n`)).toEqual([
    'no row of the table above: | 3 | 4',
    'no row of the table above: still 4 |',
  ]);
  expect(faultsOf(`${table}\n\n| 3 | 4 |`)).toEqual(['no header: | 3 | 4 |']);
  expect(faultsOf(`text\n${table}`)).toEqual(['no header: text']);
  expect(faultsOf(`${table}\n| 3 | 4 | 5 |`)).toEqual(['another number of cells: | 3 | 4 | 5 |']);
  expect(faultsOf(`${table}\n| 3 | \`4 \\| 5\` |`)).toEqual([]);
});
