import { describe, expect, it } from 'vitest';
import { compared, medianOf } from './bench.js';
import { sideBySide } from './side-by-side.js';

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

  it('leaves a row without a figure as it is', () => {
    const missing = { name: 'c', note: 'needs redis-server' };
    expect(compared([{ name: 'a', median: 2 }, { name: 'b', median: 5 }, missing])).toEqual([
      { name: 'a', median: 2, ratio: 1 },
      { name: 'b', median: 5, ratio: 2.5 },
      missing,
    ]);
  });

  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[7], 7],
  ])('the median of %j is %d', (values, median) => {
    expect(medianOf(values)).toBe(median);
  });
});
