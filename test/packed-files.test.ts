import { mkdirSync, writeFileSync } from 'node:fs';

import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { missingLinks } from '../.ci/links.mjs';
import { checkLines } from '../.ci/readable-code.mjs';
import { readText } from './docs/blocks.js';
import { temporaryDirectory } from './temporary.js';

const manifest = JSON.parse(readText('package.json')) as {
  readonly repository?: unknown;
  readonly publishConfig: { readonly access: string; readonly provenance?: boolean };
};

/** A folder with these files, and their paths below it. */
function folderOf(texts: Readonly<Record<string, string>>) {
  const folder = temporaryDirectory();
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { folder, files: Object.keys(texts).map(normalize) };
}

it('asks for provenance only if the repository is named, because npm refuses to publish otherwise', () => {
  expect(manifest.publishConfig.access).toBe('public');
  if (!manifest.repository) expect(manifest.publishConfig.provenance ?? false).toBe(false);
});

it('finds links of the packed documents to files that are not packed', () => {
  const { folder, files } = folderOf({
    'README.md': `[a guide](docs/a.md#part) [gone](docs/gone.md) [the examples](examples) [above](#top)
<img src="docs/picture.png"> <img src="docs/no-picture.svg"> [the web](https://example.com/docs/gone.md)
\`\`\`text
[only code](gone.md)
\`\`\`
`,
    'docs/a.md': '[back](../README.md) [not packed](../test/a.test.ts) ![a picture](picture.png)',
    'docs/picture.png': '',
    'llms.txt': '[a guide](docs/a.md): good. [gone](docs/gone-too.md): bad.',
    'examples/a.ts': '[no document](gone.md)',
  });
  expect(missingLinks(folder, files)).toEqual([
    'README.md: docs/gone.md',
    'README.md: docs/no-picture.svg',
    `${normalize('docs/a.md')}: ../test/a.test.ts`,
    'llms.txt: docs/gone-too.md',
  ]);
});

it('takes a long line of code for minified code, and a long string for data', async () => {
  const { folder } = folderOf({
    'data.js': `const names = "${'name '.repeat(200)}";\n`,
    'minified.cjs': `${'a=b(c);'.repeat(200)}\n`,
  });
  await expect(checkLines([join(folder, 'data.js')])).resolves.toBeUndefined();
  await expect(checkLines([join(folder, 'minified.cjs')])).rejects.toThrow(
    /minified\.cjs:1 has more than 300/,
  );
});
