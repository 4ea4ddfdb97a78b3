import { writeFileSync } from 'node:fs';
import { OURS } from './bench.js';
import { root } from './packages.js';
import type { Results } from './results.js';
import { svgOf } from './svg.js';

export interface Bar {
  readonly label: string;
  /** Relative to the first bar of its group. */
  readonly ratio: number;
  readonly isOurs: boolean;
}

export interface Group {
  readonly title: string;
  /** What the ratio 1 is, as a quantity. */
  readonly floor: string;
  readonly bars: readonly Bar[];
}

/** A group of bars: the first table of a bench, and the label of each of its rows that is shown. */
interface GroupSource {
  readonly bench: string;
  readonly table: number;
  readonly title: string;
  readonly rows: Readonly<Record<string, string>>;
}

const SOURCES: readonly GroupSource[] = [
  {
    bench: 'P5',
    table: 0,
    title: 'A poll without new events',
    rows: {
      'undici, Agent.request': 'bare HTTP, undici',
      [OURS]: OURS,
      fetch: 'fetch',
      got: 'got',
      axios: 'axios',
    },
  },
  {
    bench: 'P7',
    table: 0,
    title: 'Poll 10,000 idle stores: share of a core',
    rows: {
      'one timer, undici': 'bare HTTP, one timer',
      [`${OURS}, HubFleet`]: OURS,
      'one interval for each store, undici': 'an interval a store',
    },
  },
  {
    bench: 'P1',
    table: 2,
    title: 'Read and check a menu of 1,000 items',
    rows: {
      'JSON.parse': 'JSON.parse alone',
      [OURS]: OURS,
      ajv: 'ajv',
      'valibot loose': 'valibot',
      'zod loose': 'zod',
    },
  },
  {
    bench: 'P4',
    table: 0,
    title: 'Receive, handle and acknowledge an order event',
    rows: {
      'undici, Agent.request': 'bare HTTP, undici',
      [OURS]: OURS,
      got: 'loop with got',
      axios: 'loop with axios',
      'a bare fetch loop': 'loop with fetch',
    },
  },
  {
    bench: 'P9',
    table: 0,
    title: 'Import the package',
    rows: { [OURS]: OURS, '@octokit/rest': '@octokit/rest', openai: 'openai', stripe: 'stripe' },
  },
];

/** The groups whose benches have been measured: the floor and ours, then the others from the shortest bar on. */
export function groupsOf(results: Results): Group[] {
  return SOURCES.flatMap(({ bench, table, title, rows }): Group[] => {
    const measured = results[bench]?.tables[table];
    if (!measured) return [];
    const found = Object.entries(rows).flatMap(([name, label]) => {
      const { median, ratio } = measured.rows.find((row) => row.name === name) ?? {};
      return median === undefined || ratio === undefined ? [] : [{ label, median, ratio }];
    });
    const [floor] = found;
    if (!floor || found.length < 2) return [];
    const bars = found.map(({ label, ratio }) => ({
      label,
      ratio: ratio / floor.ratio,
      isOurs: label === OURS,
    }));
    bars.sort((one, other) => placeOf(one) - placeOf(other) || one.ratio - other.ratio);
    return [{ title, floor: `${quantity(floor.median)} ${measured.unit}`, bars }];
  });
}

const placeOf = ({ ratio, isOurs }: Bar) => (ratio === 1 ? 0 : isOurs ? 1 : 2);

const quantity = (value: number) => (value < 10 ? value.toFixed(1) : value.toFixed(0));

/** The chart of docs/performance.md; undefined if not all benches that it shows were measured. */
export function chartOf(results: Results): string | undefined {
  const groups = groupsOf(results);
  const { P4: events } = results;
  if (groups.length < SOURCES.length || !events) return undefined;
  const { machine, measuredOn } = events;
  return svgOf(
    groups,
    `Medians of CPU time. ${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, ${measuredOn}. Measure again: npm run bench`,
  );
}

export const CHART = `${root}docs/performance.svg`;

/** Draws the chart again, if there are figures for all of it. */
export function drawChart(results: Results): boolean {
  const chart = chartOf(results);
  if (chart !== undefined) writeFileSync(CHART, chart);
  return chart !== undefined;
}
