/**
 * Writes `src/reading/generated/`. Run it with `npm run generate` after a change of a schema.
 *
 * The files are committed, so that no code is made from strings where that is forbidden, and a test compares them with
 * the schemas, so that strict and lenient reading cannot differ.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generatedFiles } from './readers/files.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = generatedFiles();

rmSync(`${root}src/reading/generated`, { recursive: true, force: true });
mkdirSync(`${root}src/reading/generated`);
for (const [path, content] of files) writeFileSync(root + path, content);
