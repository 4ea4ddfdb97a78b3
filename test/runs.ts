/** `.ci/run` sets the first: there, tests repeat everything as often as they say, but on one Node only. */
const { OPENDELIVERY_REQUIRE_ALL, OPENDELIVERY_FEWER_RUNS } = process.env;
const IS_GATE = Boolean(OPENDELIVERY_REQUIRE_ALL) && !OPENDELIVERY_FEWER_RUNS;

/**
 * How often a test repeats something, or how large it makes something: in the
 * gate `count`, and in `npm test` a part of it, which takes seconds less and
 * finds nearly everything.
 *
 * @param part - how many times fewer.
 */
export function runs(count: number, part = 8): number {
  return IS_GATE ? count : Math.ceil(count / part);
}

/** The cases of a test that has many like these: in the gate all, and in `npm test` the first of each `every`. */
export function some<T>(cases: readonly T[], every = 6): T[] {
  return cases.filter((_, at) => IS_GATE || at % every === 0);
}
