import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Row } from './bench.js';
import { CHART, chartOf, groupsOf } from './chart.js';
import { machine } from './machine.js';
import { type Results, savedResults } from './results.js';

const resultsOf = (name: string, tables: readonly (readonly Row[])[]): Results => ({
  [name]: {
    title: name,
    goal: '',
    tables: tables.map((rows) => ({ title: '', unit: 'µs', rows })),
    version: '1.2.3',
    measuredOn: '2026-05-04',
    machine,
  },
});

const P4: readonly Row[] = [
  { name: 'undici, Agent.request', median: 2, ratio: 1 },
  { name: 'undici, with a Set of handled ids', median: 3, ratio: 1.5 },
  { name: 'opendelivery-client', median: 3.5, ratio: 1.8 },
  { name: 'got', note: 'got is not installed' },
  { name: 'axios', median: 9, ratio: 4.5 },
  { name: 'a bare fetch loop', median: 8, ratio: 3.9 },
];

describe('the chart', () => {
  it('compares with the first bar, and leaves out what was not measured', () => {
    expect(groupsOf(resultsOf('P4', [P4]))).toEqual([
      {
        title: 'Receive, handle and acknowledge an order event',
        floor: '2.0 µs',
        bars: [
          { label: 'bare HTTP, undici', ratio: 1, isOurs: false },
          { label: 'opendelivery-client', ratio: 1.8, isOurs: true },
          { label: 'loop with fetch', ratio: 3.9, isOurs: false },
          { label: 'loop with axios', ratio: 4.5, isOurs: false },
        ],
      },
    ]);
    expect(groupsOf(resultsOf('P4', [P4.slice(0, 1)]))).toEqual([]);
    expect(groupsOf({})).toEqual([]);
  });

  it('in docs/ is drawn from the figures in bench.json', () => {
    expect(readFileSync(CHART, 'utf8')).toBe(chartOf(savedResults()));
  });
});
