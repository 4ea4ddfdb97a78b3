import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

export const readGuide = ({ path }: Guide): string => readDocument(path);

export const readDocument = (path: string): string => readFileSync(join(PACKAGE, path), 'utf8');

const uriOf = (path: string) => `opendelivery://${path}`;
