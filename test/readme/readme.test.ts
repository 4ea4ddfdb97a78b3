import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { codeBlocksOf, pathOf, readText, withCurrentCode } from '../docs/blocks.js';
import { keptOf, partsOf } from './structure.js';

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
      ['ts', 'examples/first-orders.ts'],
      ['sh', 'npm test\n'],
    ]);
  },
);

it('has the same parts in both languages, with the same sentences, links, figures and code', () => {
  const [english = '', portuguese = ''] = READMES.map(readText);
  const parts = partsOf(english);
  const translated = partsOf(portuguese);
  expect(parts.length).toBeGreaterThan(30);
  expect(translated.map(({ kind }) => kind)).toEqual(parts.map(({ kind }) => kind));
  for (const [at, kept] of keptOf(parts).entries()) {
    const both = `${parts[at]?.text}\n\n${translated[at]?.text}\n\n`;
    expect(keptOf(translated)[at], both).toEqual(kept);
  }
});

describe('the comparison of the two languages', () => {
  const ENGLISH = `# A title

Text with [a link](guides/a.md) and \`code\`. It has 1,500 words.

- **One promise.** At most 2 polls.
- Another one: \`stop()\`
  on two lines.

| guide | |
| --- | --- |
| [One](guides/a.md) | text |

\`\`\`sh
npm test
\`\`\`
`;

  it('accepts other words in another sequence', () => {
    const portuguese = `# Um título

Um \`code\` em um texto com [um link](guides/a.md). Tem 1.500 palavras.

- **Uma promessa.** No máximo 2 consultas.
- Outra: em duas
  linhas, \`stop()\`.

| guia | |
| --- | --- |
| [Um](guides/a.md) | texto |

\`\`\`sh
npm test
\`\`\`
`;
    expect(keptOf(partsOf(portuguese))).toEqual(keptOf(partsOf(ENGLISH)));
  });

  it.each([
    ['a promise as an item', '- Another', '- A third promise.\n- Another'],
    ['a promise as a sentence', 'At most 2 polls.', 'At most 2 polls. Nothing is lost.'],
    ['a promise as a paragraph', '| guide', 'Nothing is lost.\n\n| guide'],
    ['a promise behind a semicolon', 'on two lines.', 'on two lines; nothing is lost.'],
    ['another limit', 'At most 2', 'At most 3'],
    ['another target', '[a link](guides/a.md)', '[a link](guides/b.md)'],
    ['another name in code', '`stop()`', '`close()`'],
    ['a row', '| [One]', '| [Two](guides/b.md) | text |\n| [One]'],
    ['a heading', '| guide', '## Part\n\n| guide'],
    ['another command', 'npm test\n', 'npm run demo\n'],
  ])('finds %s', (_what, before, after) => {
    const changed = ENGLISH.replace(before, after);
    expect(changed).not.toBe(ENGLISH);
    expect(keptOf(partsOf(changed))).not.toEqual(keptOf(partsOf(ENGLISH)));
  });
});

it.each(READMES)('%s has at most 120 lines', (file) => {
  expect(readText(file).trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});
