import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Bench, Table } from './bench.js';
import { buildIfStale, compileContenders } from './build.js';
import { drawChart } from './chart.js';
import { machine } from './machine.js';
import { printed } from './print.js';
import { type Measured, saveResults } from './results.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});

// One file per goal: `npm run bench -- P7` runs `p7-fleet.ts`.
const files = readdirSync(new URL('.', import.meta.url))
  .filter((name) => /^p\d+-.*\.ts$/.test(name))
  .sort((one, other) => numberOf(one) - numberOf(other));
const wanted = positionals.map((name) => name.toLowerCase());
const unknown = wanted.filter((name) => !files.some((file) => file.startsWith(`${name}-`)));
if (unknown.length > 0) {
  console.error(`unknown bench ${unknown.join(', ')}; the benches are: ${files.join(', ')}`);
  process.exit(1);
}

const selected = files.filter(
  (file) => wanted.length === 0 || wanted.some((name) => file.startsWith(`${name}-`)),
);
buildIfStale();
await compileContenders();
console.log(
  `${machine.cpu}, ${machine.cores} cores, ${machine.memory}, Node ${machine.node}, ${machine.system}`,
);
console.log(
  'Medians over rounds with one turn each, CPU time unless a title says otherwise; a ratio is the median of the ratios of all rounds.',
);
const measured: Record<string, Measured> = {};
for (const file of selected) {
  const { bench } = (await import(new URL(file, import.meta.url).href)) as { bench: Bench };
  const { title, goal } = bench;
  console.log(`\n${title}\nGoal: ${goal}`);
  const tables: Table[] = [];
  for await (const table of bench.tables(values.quick ? 'quick' : 'full')) {
    console.log(printed(table));
    tables.push(table);
  }
  measured[`P${numberOf(file)}`] = { title, goal, tables };
}
if (!values.quick) {
  const results = saveResults(measured);
  console.log(`\nwritten: test/bench/bench.json${drawChart(results) ? ', docs/performance.svg' : ''}`);
}

function numberOf(file: string): number {
  return Number(/\d+/.exec(file)?.[0]);
}
