import { expect, it } from 'vitest';
import { setNewest } from '../../src/events/bounded-map.js';

it('a bounded map deletes the entry that was set longest ago', () => {
  const map = new Map<string, number>();
  for (const key of ['a', 'b', 'c']) setNewest(map, key, 1, 3);
  setNewest(map, 'a', 2, 3);
  setNewest(map, 'd', 1, 3);
  expect([...map]).toEqual([
    ['c', 1],
    ['a', 2],
    ['d', 1],
  ]);
});
