import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { HubClient, memoryState } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { COLLECTIONS } from '../schemas/support.js';
import { cleanDocument, deviatingDocument, SIZES } from './documents.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = ['--expose-gc', '--import', 'tsx', 'test/bench/run.ts'];
const run = (...args: string[]) =>
  execFileSync(process.execPath, [...COMMAND, ...args], { cwd: root, encoding: 'utf8' });

describe('npm run bench', () => {
  it('runs the benches that are named, in the order of the numbers, with figures', () => {
    const results = `${root}/test/bench/bench.json`;
    const changedAt = statSync(results).mtimeMs;
    const output = run('--quick', 'p8', 'P4');
    const numbers = [...output.matchAll(/^P(\d+): /gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual([4, 8]);
    for (const bench of output.split(/\n(?=P\d+: )/).slice(1)) {
      expect(bench).toMatch(/^ {2}\S.* \d+\.\d{3}\b/m);
    }
    // A quick run is no measurement: its figures are not kept.
    expect(statSync(results).mtimeMs).toBe(changedAt);
  }, 300_000);

  it('says which benches there are', () => {
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

  it('have no issues, or issues in every entry', async () => {
    const readBy = (document: object) => {
      const fetch = async () => Response.json(document);
      const credentials = { clientId: '1', clientSecret: 'secret', apiKey: 'key' };
      return new HubClient({
        baseUrl: 'https://hub.example',
        ...credentials,
        fetch,
        state: memoryState(),
      }).merchant.get();
    };
    expect((await readBy(cleanDocument(50))).issues).toEqual([]);
    const { merchant, issues } = await readBy(deviatingDocument(50));
    const entries = new Set(issues.map(({ path }) => `${path[0]}.${path[1]}`));
    for (const key of COLLECTIONS) {
      expect(merchant[key].length).toBeGreaterThan(0);
      for (const index of merchant[key].keys()) expect(entries).toContain(`${key}.${index}`);
    }
  });
});
