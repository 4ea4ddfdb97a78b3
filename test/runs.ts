/** `test:long` sets it for all tests, the gate for those of processes. */
const IS_WHOLE = Boolean(process.env.OPENDELIVERY_ALL_RUNS);

/**
 * How often a test repeats something, or how large it makes something: in the
 * long tests `count`, and in `npm test` a part of it, which takes seconds less
 * and finds nearly everything.
 *
 * @param part - how many times fewer.
 */
export function runs(count: number, part = 8): number {
  return IS_WHOLE ? count : Math.ceil(count / part);
}

/** The cases of a test that has many like these: in the long tests all, and in `npm test` the first of each `every`. */
export function some<T>(cases: readonly T[], every = 6): T[] {
  return cases.filter((_, at) => IS_WHOLE || at % every === 0);
}
