import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readMerchant } from '../../src/merchant/read.js';
import { COLLECTIONS, pathsAndCodes } from '../schemas/support.js';
import { cleanDocument, deviatingDocument, SIZES } from './documents.js';
import { isInstalled } from './packages.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = ['--expose-gc', '--import', 'tsx', 'test/bench/run.ts'];
const run = (...args: string[]) =>
  execFileSync(process.execPath, [...COMMAND, ...args], { cwd: root, encoding: 'utf8' });

const FIGURES = / +-?\d+\.\d{3}(?: [^\s\d]+)?(?: +-?\d+\.\d{2}x)?(?: {2}(?:reaches|MISSES) .*)?$/;
const NOTE = / {2,}(?:needs|not installed|does not bundle|\S+ is not installed)\b.*$/;

/** The names of the rows of each table; a row without figures must say why. */
function tablesOf(output: string): string[][] {
  const blocks = output.split('\n\n').filter((block) => block.startsWith('  '));
  return blocks.map((block) => block.trimEnd().split('\n').slice(1).map(nameOf));
}

function nameOf(line: string): string {
  const end = [FIGURES, NOTE].map((pattern) => line.search(pattern)).find((place) => place !== -1);
  if (end === undefined) throw new Error(`neither figures nor a reason: ${line}`);
  return line.slice(2, end).trim();
}

const OURS = 'opendelivery-client';
const CHECKERS = [
  'JSON.parse',
  OURS,
  ...['ajv', 'valibot'].filter(isInstalled).map((name) => (name === 'ajv' ? name : `${name} loose`)),
  'zod loose',
];

describe('npm run bench', () => {
  it('runs every bench, with a figure in each row or the reason why there is none', () => {
    const results = `${root}/test/bench/bench.json`;
    const changedAt = statSync(results).mtimeMs;
    const output = run('--quick');
    const numbers = [...output.matchAll(/^P(\d+): /gm)].map(([, number]) => Number(number));
    const files = readdirSync(new URL('.', import.meta.url)).filter((file) => /^p\d+-.*\.ts$/.test(file));
    expect(numbers).toHaveLength(files.length);
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
    const benches = output.split(/\n(?=P\d+: )/).slice(1);
    for (const bench of benches) expect(tablesOf(bench).flat().length).toBeGreaterThan(0);
    for (const [title, expected] of [
      ['P1: ', [CHECKERS, CHECKERS, ['JSON.parse', `the check of ${OURS}`], ['JSON.parse', OURS]]],
      ['P2: ', [CHECKERS, CHECKERS]],
      ['P3: ', [['JSON.parse', `${OURS}, index and walk`, `${OURS}, another walk`, 'array.find']]],
      [
        'P4: ',
        [
          [
            'undici, Agent.request',
            'undici, with a Set of handled ids',
            OURS,
            `${OURS}, async listener`,
            'fetch',
            'got',
            'axios',
            'sqs-consumer, its loop over undici',
          ],
        ],
      ],
      ['P12: ', [['no poller', `${OURS}, 10 pollers`]]],
    ] as const) {
      const own = benches.find((bench) => bench.startsWith(title)) ?? '';
      expect(tablesOf(own)).toEqual(expected);
    }
    // A quick run is no measurement: its figures are not kept.
    expect(statSync(results).mtimeMs).toBe(changedAt);
  }, 300_000);

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
