import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { savedResults } from '../bench/results.js';
import { pathOf, readText } from './blocks.js';

const GUIDE = 'docs/performance.md';

/** A row of the table: one figure of `bench.json`, and those beside it, by the names of the bench. */
interface Figure {
  readonly what: string;
  readonly bench: string;
  readonly table: number;
  readonly ours: string;
  readonly others: Readonly<Record<string, string>>;
}

const OURS = 'opendelivery-client';

const FIGURES: readonly Figure[] = [
  {
    what: 'a poll without new events',
    bench: 'P5',
    table: 0,
    ours: OURS,
    others: { 'undici, Agent.request': 'bare HTTP', fetch: '`fetch`', axios: 'axios', got: 'got' },
  },
  {
    what: 'a fleet of 10,000 idle stores, two polls a minute each, of one core',
    bench: 'P7',
    table: 0,
    ours: `${OURS}, HubFleet`,
    others: {
      'one timer, undici': 'bare HTTP from one timer',
      'one interval for each store, undici': 'bare HTTP, an interval for each store',
    },
  },
  {
    what: 'reading and checking a menu of 1,000 items',
    bench: 'P1',
    table: 2,
    ours: OURS,
    others: {
      'JSON.parse': '`JSON.parse` alone',
      ajv: 'ajv',
      'zod loose': 'zod',
      'valibot loose': 'valibot',
    },
  },
  {
    what: 'receiving, handling and acknowledging an event',
    bench: 'P4',
    table: 0,
    ours: OURS,
    others: {
      'undici, Agent.request': 'bare HTTP',
      got: 'a loop with got',
      'a bare fetch loop': 'a loop with `fetch`',
      axios: 'a loop with axios',
    },
  },
  {
    what: 'the import',
    bench: 'P9',
    table: 0,
    ours: OURS,
    others: { '@octokit/rest': '@octokit/rest', openai: 'openai', stripe: 'stripe' },
  },
  {
    what: 'memory of a store in a fleet (heap)',
    bench: 'P6',
    table: 0,
    ours: `${OURS}, in a fleet`,
    others: { [`${OURS}, a running poller`]: 'a `HubClient` with its poller' },
  },
];

const quantity = (value: number) =>
  value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US');

function rowOf({ what, bench, table, ours, others }: Figure): string {
  const measured = savedResults()[bench];
  const figures = measured?.tables[table];
  if (!measured || !figures) throw new Error(`${bench} was not measured`);
  const figureOf = (name: string) => {
    const { median } = figures.rows.find((row) => row.name === name) ?? {};
    if (median === undefined) throw new Error(`${bench} has no figure of ${name}`);
    return `${quantity(median)} ${figures.unit}`;
  };
  const beside = Object.entries(others).map(([name, label]) => `${label} ${figureOf(name)}`);
  const { version, measuredOn, machine } = measured;
  const where = `${version}, ${measuredOn}, ${machine.cpu}, Node ${machine.node}`;
  return `| ${what} | **${figureOf(ours)}** | ${beside.join(', ')} | ${bench}: ${where} |`;
}

it('has the figures of bench.json, each with its version and day', () => {
  const header = ['| what | this package | beside it | measured |', '| --- | --- | --- | --- |'];
  const table = [...header, ...FIGURES.map(rowOf)].join('\n');
  const guide = readText(GUIDE);
  const current = guide.replace(/^\| what [\s\S]*?(?=\n\n)/m, table);
  // UPDATE_DOCS=1 writes the current figures into it.
  if (process.env.UPDATE_DOCS) writeFileSync(pathOf(GUIDE), current);
  expect(readText(GUIDE)).toBe(current);
  expect(current).toContain(table);
});
