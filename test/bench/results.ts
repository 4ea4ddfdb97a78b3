import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Table } from './bench.js';
import { type Machine, machine } from './machine.js';

/** The figures of one bench. */
export interface Measured {
  readonly title: string;
  readonly goal: string;
  readonly tables: readonly Table[];
}

/** `bench.json`: the latest figures of each bench, with what was measured, when and where. */
export type Results = Readonly<
  Record<
    string,
    Measured & { readonly version: string; readonly measuredOn: string; readonly machine: Machine }
  >
>;

const FILE = fileURLToPath(new URL('bench.json', import.meta.url));
const MANIFEST = fileURLToPath(new URL('../../package.json', import.meta.url));

export const savedResults = (): Results =>
  existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Results) : {};

/** Replaces the figures of the benches that were measured; those of the others stay. @returns what is saved, rounded. */
export function saveResults(measured: Readonly<Record<string, Measured>>): Results {
  const measuredOn = new Date().toISOString().slice(0, 10);
  const { version } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { version: string };
  const results = { ...savedResults() } as Record<string, Results[string]>;
  for (const [name, bench] of Object.entries(measured))
    results[name] = { ...bench, version, measuredOn, machine };
  const sorted = Object.fromEntries(
    Object.entries(results).sort(([one], [other]) => Number(one.slice(1)) - Number(other.slice(1))),
  );
  writeFileSync(FILE, `${oneLineForEachRow(JSON.stringify(sorted, rounded, 2))}\n`);
  return savedResults();
}

/** Four significant digits: more would be noise in the history of the file. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}

/** Of each table, as it is printed: a new figure is one line of the history. */
const oneLineForEachRow = (json: string) =>
  json.replace(/^ {10}\{$[\s\S]*?^ {10}\}/gm, (row) => `          ${row.trim().replace(/\s*\n\s*/g, ' ')}`);
