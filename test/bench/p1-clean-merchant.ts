import type { Bench } from './bench.js';
import { cleanDocument } from './documents.js';
import { allocationTable, readingTables } from './reading.js';

export const bench: Bench = {
  title: 'P1: merchant JSON to checked, typed document; no issues',
  goal: 'at most 1.10x JSON.parse hot, 1.15x after a collection; the check allocates at most 200 kB on M',
  async *tables(effort) {
    yield* readingTables(cleanDocument, effort);
    yield allocationTable(cleanDocument, effort);
  },
};
