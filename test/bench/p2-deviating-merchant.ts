import type { Bench } from './bench.js';
import { deviatingDocument } from './documents.js';
import { readingTables } from './reading.js';

/** The peers only list what is wrong: none of them gives a document that can be used. */
export const bench: Bench = {
  title: 'P2: merchant text to checked, typed document with its issues; every entry deviates',
  goal: 'at most 1.5x JSON.parse',
  tables: (effort) => readingTables(deviatingDocument, effort),
};
