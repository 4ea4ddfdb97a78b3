/** Writes `src/reading/generated/`. Run it with `npm run generate` after a change of a schema. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generatedFiles } from './readers/files.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = generatedFiles();

rmSync(`${root}src/reading/generated`, { recursive: true, force: true });
mkdirSync(`${root}src/reading/generated`);
for (const [path, content] of files) writeFileSync(root + path, content);
