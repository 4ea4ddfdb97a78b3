import { ENDPOINTS } from 'opendelivery-client';
import { expect, it } from 'vitest';
import { isRejection, outcomeOf } from '../../src/http/outcome.js';

it('every 4xx that only the hub itself sends is a rejection', () => {
  const rejections = Array.from({ length: 600 }, (_, status) => status).filter(isRejection);
  const all = Array.from({ length: 100 }, (_, index) => 400 + index);
  // A proxy may have sent these two: request timeout, and client closed request.
  expect(rejections).toEqual(all.filter((status) => status !== 408 && status !== 499));
});

it('only a command can have an unknown outcome', () => {
  const names = Object.keys(ENDPOINTS) as (keyof typeof ENDPOINTS)[];
  const uncertain = names.filter((endpoint) => outcomeOf(endpoint, true).outcome === 'unknown');
  expect(uncertain).toEqual(['orderStatus']);
  for (const endpoint of names) expect(outcomeOf(endpoint, false)).toEqual({});
});
