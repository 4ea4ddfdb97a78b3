import type { Bench } from './bench.js';
import { deviatingDocument } from './documents.js';
import { readingTables } from './reading.js';

/** The peers only list the errors; none of them returns a usable document. */
export const bench: Bench = {
  title: 'P2: merchant JSON to checked, typed document with its issues; every entry has some',
  goal: 'at most 2x JSON.parse',
  tables: (effort) => readingTables(deviatingDocument, effort, 2),
};
