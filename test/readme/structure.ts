import { codeBlocksOf, linksOf } from '../docs/blocks.js';

/** A part of a document. Beside its text: what a translation does not change. */
export interface Part {
  /** As it is in the document. */
  readonly text: string;
  readonly kind: 'heading' | 'paragraph' | 'item' | 'row' | 'code';
  /** Of a heading its level; of others the number of sentences. */
  readonly size: number;
  readonly links: readonly string[];
  readonly figures: readonly string[];
  readonly code: readonly string[];
}

const FENCE = /^```[\s\S]*?^```$/gm;

/** Headings, paragraphs, list items, table rows and code blocks, in the sequence of the document. */
export function partsOf(markdown: string): Part[] {
  const blocks = codeBlocksOf(markdown).map(({ code }) => code);
  const text = markdown.replace(FENCE, '\n\nFENCE\n\n');
  return text
    .split(/\n\n+/)
    .flatMap((paragraph) => paragraph.trim().split(/\n(?=[-|#] ?|\d+\. |<)/))
    .filter((part) => part !== '')
    .map((part): Part => {
      if (part === 'FENCE')
        return { text: part, kind: 'code', size: 1, links: [], figures: [], code: [blocks.shift() ?? ''] };
      const code = [...part.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span).sort();
      const prose = part.replace(/`[^`]+`/g, 'x').replace(/\]\([^)]+\)|<[^>]+>/g, ']');
      return {
        text: part,
        kind: kindOf(part),
        size: kindOf(part) === 'heading' ? part.indexOf(' ') : sentencesIn(prose),
        links: [...linksOf(part), ...sourcesIn(part)].map(inEnglish).sort(),
        figures: (prose.match(/\d[\d.,]*\d|\d/g) ?? []).map((figure) => figure.replace(/[.,]/g, '')).sort(),
        code,
      };
    });
}

function kindOf(part: string): Part['kind'] {
  if (part.startsWith('#')) return 'heading';
  if (part.startsWith('|')) return 'row';
  return /^(?:-|\d+\.) /.test(part) ? 'item' : 'paragraph';
}

/** At the end of a sentence is a full stop, a question mark or a colon; a semicolon divides two. */
const sentencesIn = (prose: string) => prose.match(/[.?!:;](?=\s|$|\*|\))/g)?.length ?? 0;

/** What a translation must keep. */
export const keptOf = (parts: readonly Part[]) => parts.map(({ text: _text, ...kept }) => kept);

const sourcesIn = (part: string) => [...part.matchAll(/\bsrc="([^"]+)"/g)].map(([, source = '']) => source);

/** Each of the two documents links to the other, and to guides in its language. */
const inEnglish = (link: string) => link.replace(/\.pt-BR\.md$/, '.md');
