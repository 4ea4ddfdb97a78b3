import { expect, expectTypeOf } from 'vitest';

/** A test that has made no assertion fails (`vitest.config.ts`). This one is checked by the compiler, in `npm run check`. */
export function checksOnlyTypes(): void {
  expect(expectTypeOf).toBeDefined();
}
