import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The absolute path of a file of this repository. */
export const pathOf = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));

export const readText = (file: string) => readFileSync(pathOf(file), 'utf8');

/** Every guide, the index included. */
export const GUIDES = readdirSync(pathOf('docs'))
  .filter((name) => name.endsWith('.md'))
  .sort()
  .map((name) => `docs/${name}`);

/** One fenced code block of a Markdown document. */
export interface CodeBlock {
  readonly language: string;
  /** What follows `file=`: a file of this repository, or `file#region`. */
  readonly source: string | undefined;
  readonly code: string;
}

const BLOCK = /^```(\w+)(?: file=(\S+))?\n([\s\S]*?)^```$/gm;

export function codeBlocksOf(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(BLOCK)].map(([, language = '', source, code = '']) => ({
    language,
    source,
    code,
  }));
}

/** The document with each block that names a file replaced by what the file contains now. */
export function withCurrentCode(markdown: string): string {
  return markdown.replace(BLOCK, (block, language: string, source: string | undefined) =>
    source === undefined ? block : `\`\`\`${language} file=${source}\n${codeOf(source)}\`\`\``,
  );
}

/** A whole file, or the lines between the comments `#region name` and `#endregion`, without their indentation. */
export function codeOf(source: string): string {
  const [file = '', region] = source.split('#');
  const text = readText(file);
  if (region === undefined) return text;
  const lines = text.split('\n');
  const start = lines.findIndex((line) => isComment(line, `#region ${region}`));
  const end = lines.findIndex((line, at) => at > start && isComment(line, '#endregion'));
  if (start === -1 || end === -1) throw new Error(`${file} has no region '${region}'`);
  const inside = lines.slice(start + 1, end);
  const indents = inside.filter(Boolean).map((line) => line.length - line.trimStart().length);
  const indent = Math.min(...indents);
  return `${inside.map((line) => line.slice(indent)).join('\n')}\n`;
}

/** In TypeScript and PHP after `//`, in Python after `#`. */
const isComment = (line: string, text: string) =>
  ['//', '#'].some((mark) => line.trim() === `${mark} ${text}`);

/** The id that GitHub and TypeDoc give a heading. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** The anchors of a document: its headings, and the `<a id>` of headings that were in it before. */
export function anchorsOf(markdown: string): string[] {
  const text = markdown.replace(BLOCK, '');
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id = '']) => id)];
}

/** Link targets of a document, code blocks left out. */
export function linksOf(markdown: string): string[] {
  return [...markdown.replace(BLOCK, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}
