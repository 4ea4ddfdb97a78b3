import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { Bench, Table } from './bench.js';

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

console.log(`Node ${process.versions.node}, V8 ${process.versions.v8}, ${availableParallelism()} cores`);
console.log('Medians over rounds with one turn each; a ratio is the median of the ratios of all rounds.');
for (const file of files) {
  if (wanted.length > 0 && !wanted.some((name) => file.startsWith(`${name}-`))) continue;
  const { bench } = (await import(new URL(file, import.meta.url).href)) as { bench: Bench };
  console.log(`\n${bench.title}\nGoal: ${bench.goal}`);
  for await (const table of bench.tables(values.quick ? 'quick' : 'full')) print(table);
}

function numberOf(file: string): number {
  return Number(/\d+/.exec(file)?.[0]);
}

function print({ title, unit, rows }: Table): void {
  console.log(`\n  ${title}`);
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, median, ratio, cpuRatio } of rows) {
    const figures = [`${median.toFixed(3).padStart(10)} ${unit}`, `${ratio.toFixed(2).padStart(6)}x`];
    if (cpuRatio !== undefined) figures.push(`CPU ${cpuRatio.toFixed(2).padStart(5)}x`);
    console.log(`  ${name.padEnd(width)}${figures.join('  ')}`);
  }
}
