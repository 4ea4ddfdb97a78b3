import * as z from 'zod';
import { readDocument } from './guides.js';
import { type Tool, tool } from './tool.js';

/** Their tables have a code, or a class and its code, in the first column. */
const PAGES = ['docs/errors.md', 'docs/issues.md', 'docs/mock-violations.md'];

export function explainTools(): readonly Tool[] {
  const explanations = new Map(PAGES.flatMap((page) => [...explanationsIn(page)]));
  const codes = z.strictObject({ code: z.enum([...explanations.keys()] as [string, ...string[]]) });
  return [
    tool('explain_error', codes, {
      does: 'Explains the class or the `code` of an error of opendelivery-client, the `code` of an issue, or the rule of a violation: what happened, and what to do.',
      isReadOnly: true,
      run: ({ code }) => explanations.get(code),
    }),
  ];
}

/** The names in the first cell of each row, and the row as text. */
function* explanationsIn(page: string): Generator<readonly [string, string]> {
  let header: readonly string[] = [];
  for (const line of readDocument(page).split('\n')) {
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    const [first = ''] = cells;
    const names = [...first.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name);
    if (cells.length > 0 && !first.startsWith('`') && !/^-+$/.test(first)) header = cells;
    if (!first.startsWith('`')) continue;
    const rest = cells.slice(1).map((cell, index) => `${header[index + 1]}: ${cell}`);
    const text = [first, ...rest, `guide: ${page}`].join('\n');
    for (const name of names) yield [name, text];
  }
}
