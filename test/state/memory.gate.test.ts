import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { programOf } from '../programs.js';
import { some } from '../runs.js';

const bytesOfEach = (mode: string, counts: readonly number[]) => {
  const parameters = ['--expose-gc', programOf('test/state/memory-child.ts'), mode, ...counts.map(String)];
  const lines = execFileSync(process.execPath, parameters, { encoding: 'utf8' }).trim().split('\n');
  const measured = lines.map((line) => line.split(' ').map(Number) as [number, number]);
  expect(measured.map(([count]) => count)).toEqual(counts);
  return measured;
};

it('memoryState does not keep values that have ended, although nobody asks for them', () => {
  // A menu or a token of each store that is not there any more.
  const [[, bytes] = []] = bytesOfEach('values', [30_000]);
  expect(bytes).toBeLessThan(200);
});

it.each<[string, 'known' | 'window', readonly number[], number]>([
  // Maps grow in steps: between these numbers are their emptiest and their fullest.
  [
    'however many there are',
    'known',
    [30_000, 60_000, 120_000, 160_000, 200_000, 250_000, 300_000, 400_000],
    200,
  ],
  // Those of one day are dropped together, so those of two days are kept.
  ['twice that if as many expire as are added', 'window', [30_000, 50_000], 400],
])(
  'memoryState needs at most 200 bytes for a handled id of 50 characters, %s',
  (_when, mode, all, mostBytes) => {
    const counts = some(all, 8);
    for (const [count, bytes] of bytesOfEach(mode, counts))
      expect(bytes, `at ${count} ids`).toBeLessThanOrEqual(mostBytes);
  },
);
