import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readMerchant } from '../../src/merchant/read.js';
import { COLLECTIONS, pathsAndCodes } from '../schemas/support.js';
import { medianOf, sideBySide } from './bench.js';
import { cleanDocument, deviatingDocument, SIZES } from './documents.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = ['--expose-gc', '--import', 'tsx', 'test/bench/run.ts'];
const run = (...args: string[]) =>
  execFileSync(process.execPath, [...COMMAND, ...args], { cwd: root, encoding: 'utf8' });

const ROW = /^ {2}(\S.*?) +\d+\.\d{3} (?:ms|kB) +\d+\.\d{2}x(?: {2}CPU +\d+\.\d{2}x)?$/;
const PEERS = ['JSON.parse', 'opendelivery-client', 'ajv', 'valibot loose', 'zod loose'];

/** The names of the rows of each table. */
const tablesOf = (output: string) =>
  output
    .split(/\n\n/)
    .map((block) => block.split('\n').flatMap((line) => ROW.exec(line)?.[1] ?? []))
    .filter((rows) => rows.length > 0);

describe('npm run bench', () => {
  it('runs every bench and prints each of its rows', () => {
    const output = run('--quick');
    const numbers = [...output.matchAll(/^P(\d+): /gm)].map(([, number]) => Number(number));
    const files = readdirSync(new URL('.', import.meta.url)).filter((file) => /^p\d+-/.test(file));
    expect(numbers).toHaveLength(files.length);
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
    for (const [title, expected] of [
      ['P1: ', [PEERS, PEERS, ['JSON.parse', 'the check of opendelivery-client']]],
      ['P2: ', [PEERS, PEERS]],
      [
        'P3: ',
        [
          [
            'JSON.parse',
            'opendelivery-client, index and walk',
            'opendelivery-client, another walk',
            'array.find',
          ],
        ],
      ],
    ] as const) {
      const [own = ''] = output.slice(output.indexOf(`\n${title}`) + 1).split(/\n(?=P\d+: )/);
      expect(tablesOf(own)).toEqual(expected);
    }
  });

  it('runs only the benches that are named', () => {
    const output = run('--quick', 'p2');
    expect([...output.matchAll(/^P\d+/gm)].map(([name]) => name)).toEqual(['P2']);
    const { status, stderr } = spawnSync(process.execPath, [...COMMAND, 'P99'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('unknown bench p99; the benches are: p1-clean-merchant.ts'),
    ]);
  });
});

describe('the benchmark documents', () => {
  it('are equal for the same seed and different for another', () => {
    expect(cleanDocument(20)).toEqual(cleanDocument(20));
    expect(cleanDocument(20, 'other')).not.toEqual(cleanDocument(20));
    expect(cleanDocument(SIZES.XS).items).toHaveLength(SIZES.XS);
  });

  it('with a thousand items have 908 kB', () => {
    expect(Math.round(Buffer.byteLength(JSON.stringify(cleanDocument(SIZES.M))) / 1000)).toBe(908);
  });

  it('have no issues, or issues in every entry', () => {
    expect(readMerchant(cleanDocument(50), 'lenient').issues).toEqual([]);
    const { merchant, issues } = readMerchant(deviatingDocument(50), 'lenient');
    const entries = new Set(issues.map(({ path }) => `${path[0]}.${path[1]}`));
    for (const key of COLLECTIONS) {
      expect(merchant[key].length).toBeGreaterThan(0);
      for (const index of merchant[key].keys()) expect(entries).toContain(`${key}.${index}`);
    }
    const kinds = pathsAndCodes({ issues }).map((issue) => issue.replace(/\.\d+/g, ''));
    expect(new Set(issues.map(({ code }) => code))).toEqual(
      new Set(['defaulted', 'null', 'unknown_value', 'format']),
    );
    expect(kinds).toContain('optionGroups.options.maxPermitted null');
  });
});

describe('a comparison', () => {
  it('gives each contender one turn per round, and compares with the first', async () => {
    const turns: string[] = [];
    const rows = await sideBySide(
      ['a', 'b', 'c'].map((name) => ({ name, run: () => turns.push(name) })),
      { rounds: 5, warmUp: 0 },
    );
    expect(rows.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(rows[0]?.ratio).toBe(1);
    for (let round = 0; round < 5; round += 1) {
      expect(turns.slice(round * 3, round * 3 + 3).sort()).toEqual(['a', 'b', 'c']);
    }
  });

  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[7], 7],
  ])('the median of %j is %d', (values, median) => {
    expect(medianOf(values)).toBe(median);
  });
});
