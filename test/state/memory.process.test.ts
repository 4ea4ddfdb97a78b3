import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { programOf } from '../programs.js';

/** Tables grow in steps: between these numbers of ids are their emptiest and their fullest. */
const COUNTS = [30_000, 60_000, 120_000, 160_000, 200_000, 250_000, 300_000, 400_000];

it('memoryState needs at most 90 bytes for a handled id of 50 characters', () => {
  const parameters = ['--expose-gc', programOf('test/state/memory-child.ts'), ...COUNTS.map(String)];
  const lines = execFileSync(process.execPath, parameters, { encoding: 'utf8' }).trim().split('\n');
  const measured = lines.map((line) => line.split(' ').map(Number));
  expect(measured.map(([count]) => count)).toEqual(COUNTS);
  for (const [count, bytes] of measured) expect(`${count}: ${bytes}`).toSatisfy(() => Number(bytes) <= 90);
});
