/** Indents the types with tabs. TypeScript always uses four spaces: in the package, that is 14 kB of blanks. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './workshop.mjs';

const dist = join(root, 'dist');
const files = (await readdir(dist, { recursive: true })).filter((path) => /\.d\.c?ts$/.test(path));
for (const path of files.map((path) => join(dist, path))) {
  const types = await readFile(path, 'utf8');
  await writeFile(
    path,
    types.replace(/^(?: {4})+/gm, (blanks) => '\t'.repeat(blanks.length / 4)),
  );
}
