import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { type Tool, tool } from './tool.js';

/** A document of the installed package. */
export interface Guide {
  readonly uri: string;
  /** Relative to the package. */
  readonly path: string;
  readonly title: string;
  readonly description?: string;
}

const INDEX = 'llms.txt';

/** The folder of this package: the nearest one above that has the index. The depth of this file differs in `dist`. */
const PACKAGE = (() => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, INDEX)) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
})();

/** The index first, then every guide. */
export function listGuides(): readonly Guide[] {
  const index = readDocument(INDEX);
  const lines = [...index.matchAll(/^- \[[^\]]+\]\(([^)]+)\): (.+)$/gm)];
  const descriptions = new Map(lines.map(([, path, description]) => [path, description]));
  const pages = readdirSync(join(PACKAGE, 'docs')).filter((name) => name.endsWith('.md'));
  const guides = pages.sort().map((name): Guide => {
    const path = `docs/${name}`;
    const description = descriptions.get(path);
    const [, title = name] = /^# (.+)$/m.exec(readDocument(path)) ?? [];
    return { uri: uriOf(path), path, title, ...(description !== undefined && { description }) };
  });
  const description = 'What the package is, its promises, the usual mistakes, and every guide with one line.';
  return [{ uri: uriOf(INDEX), path: INDEX, title: INDEX, description }, ...guides];
}

export const readDocument = (path: string): string => readFileSync(join(PACKAGE, path), 'utf8');

const uriOf = (path: string) => `opendelivery://${path}`;

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
