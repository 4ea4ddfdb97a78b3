import { describe, expect, it } from 'vitest';
import { excessOf, shareOf } from '../../../src/fleet/bullmq/share.js';

describe('the share of a process', () => {
  it('is large enough for all shards together', () => {
    expect([1, 2, 3, 4, 5, 300].map((alive) => shareOf(256, alive))).toEqual([256, 128, 86, 64, 52, 1]);
    for (let alive = 1; alive < 100; alive += 1) {
      expect(shareOf(256, alive) * alive).toBeGreaterThanOrEqual(256);
      expect((shareOf(256, alive) - 1) * alive).toBeLessThan(256);
    }
  });

  it('leaves to others what came last', () => {
    expect(excessOf(['a', 'b', 'c'], 2)).toEqual(['c']);
    expect(excessOf(['a', 'b', 'c'], 3)).toEqual([]);
    expect(excessOf([], 3)).toEqual([]);
  });
});
