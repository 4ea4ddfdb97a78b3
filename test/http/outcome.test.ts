import { ENDPOINTS } from 'opendelivery-client';
import { expect, it } from 'vitest';
import { isRejection, outcomeOf } from '../../src/http/outcome.js';

it('only statuses that prove that the hub did nothing are rejections', () => {
  const rejections = Array.from({ length: 600 }, (_, status) => status).filter(isRejection);
  expect(rejections).toEqual([400, 401, 403, 404, 422, 429]);
});

it('only a command can have an unknown outcome', () => {
  const names = Object.keys(ENDPOINTS) as (keyof typeof ENDPOINTS)[];
  const uncertain = names.filter((endpoint) => outcomeOf(endpoint, true).outcome === 'unknown');
  expect(uncertain).toEqual(['orderStatus']);
  for (const endpoint of names) expect(outcomeOf(endpoint, false)).toEqual({});
});
