import { type Bench, medianOf, OURS, type Table } from './bench.js';
import type { FirstCheck } from './contenders/first-check.js';
import { cleanDocument } from './documents.js';
import { onceInProcess } from './processes.js';
import { allocationTable, readingTables } from './reading.js';

/** The first document of a process: what a function that runs for seconds pays. */
async function firstCheck(rounds: number): Promise<Table> {
  const results: FirstCheck[] = [];
  for (let round = 0; round < rounds; round += 1) {
    results.push(await onceInProcess<FirstCheck>({ file: './first-check.ts', setup: 'firstCheck' }));
  }
  const row = (name: string, kind: keyof FirstCheck) => ({
    name,
    median: medianOf(results.map((result) => result[kind])),
  });
  const ours = { ...row(OURS, 'oursMs'), goal: { median: 15 } };
  return { title: 'M, the first one of a process', unit: 'ms', rows: [row('JSON.parse', 'parseMs'), ours] };
}

export const bench: Bench = {
  title: 'P1: merchant JSON to checked, typed document; no issues',
  goal: 'at most 1.3x JSON.parse; the first check of a process at most 15 ms',
  async *tables(effort) {
    yield* readingTables(cleanDocument, effort, 1.3);
    yield allocationTable(cleanDocument, effort);
    yield await firstCheck(effort === 'quick' ? 1 : 9);
  },
};
