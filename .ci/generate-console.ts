/** Writes `src/testing/console/page-file.ts`. Run it with `npm run generate` after a change of the page. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { consoleFile } from './console-file.js';

const path = fileURLToPath(new URL('../src/testing/console/page-file.ts', import.meta.url));
writeFileSync(path, await consoleFile());
