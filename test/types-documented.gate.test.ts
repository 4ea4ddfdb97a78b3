import { expect, it } from 'vitest';
import { declarations, undocumented } from './public-types.js';

it('every public type, and every property of one, has a description in the declarations', () => {
  expect(undocumented(declarations())).toEqual([]);
});
