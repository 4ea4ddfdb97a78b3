import type { RecallRequest } from '../../state/port.js';
import { attempt, handle, LONG_MS, seen } from './mark-rules.js';
import { expiryRule, type Rule, rule, type Trial, virtualTimeRule } from './trial.js';

const LIFETIMES = { handledMs: LONG_MS, attemptedMs: LONG_MS };

const counting = (ids: readonly string[], below: number): RecallRequest => ({
  ...LIFETIMES,
  count: { ids, below },
});

/** `recall` with `count`. */
export const COUNT_RULES: readonly Rule[] = [
  rule('recall: with count, it returns the marks as they were before', async ({ state, equal }) => {
    await handle(state, ['handled']);
    await attempt(state, ['once']);
    const ids = ['handled', 'once', 'new', 'not counted'];
    const request = counting(['new', 'once', 'handled'], Number.POSITIVE_INFINITY);
    equal(await seen(state, ids, request), ['handled', 1, 0, 0], 'recall returns the marks before the count');
    equal(await seen(state, ids, request), ['handled', 2, 1, 0], 'each of count.ids has one attempt more');
    equal(
      await seen(state, ids),
      ['handled', 3, 2, 0],
      'only count.ids are counted, and no handled event is',
    );
    equal(await seen(state, ids, LIFETIMES, 'other'), [0, 0, 0, 0], 'another key is not counted');
  }),

  rule('recall: without count, or without ids to count, it counts nothing', async ({ state, equal }) => {
    await attempt(state, ['a']);
    for (const count of [undefined, { ids: [], below: 1 }, { ids: [], below: Number.POSITIVE_INFINITY }])
      await state.recall('events', ['a', 'b'], { ...LIFETIMES, count });
    await state.recall('events', ['a', 'b'], LIFETIMES);
    equal(await seen(state, ['a', 'b']), [1, 0], 'nothing was counted');
    const nothing = await state.recall('events', [], counting([], 1));
    equal(nothing, [], 'without ids, there are no marks');
  }),

  rule('recall: it counts only events with fewer attempts than count.below', async ({ state, equal }) => {
    await attempt(state, ['once']);
    const ids = ['new', 'once'];
    const count = (below: number) => seen(state, ids, counting(ids, below));
    equal(await count(0), [0, 1], 'the marks are returned');
    equal(await count(1), [0, 1], 'below 0 counts nothing');
    equal(await count(1), [1, 1], 'below 1 counts only events that were never attempted');
    equal(await count(2), [1, 1], 'below 1 does not count an event with 1 attempt');
    equal(await count(2), [2, 2], 'below 2 counts events with 1 attempt');
    equal(await count(Number.POSITIVE_INFINITY), [2, 2], 'below 2 does not count an event with 2 attempts');
    equal(await count(0), [3, 3], 'below Infinity counts all events');
  }),

  rule('recall: it counts an id once, also if it occurs twice', async ({ state, equal }) => {
    const many = Array.from({ length: 2500 }, (_, index) => `id ${index}`);
    const ids = ['a', 'a', ...many, 'a'];
    const request = counting([...ids, 'a'], Number.POSITIVE_INFINITY);
    const all = (attempts: number) => ids.map(() => attempts);
    equal(
      await seen(state, ids, request),
      all(0),
      'all marks are those before the count, also of the same id',
    );
    equal(await seen(state, ids, request), all(1), 'each id has one attempt, also one that occurs twice');
    equal(await seen(state, ids), all(2), 'each id has two attempts after two counts');
  }),

  rule('recall: of several that count a new id at the same time, one finds it new', async (trial) => {
    const { state, equal } = trial;
    const countAtOnce = async (below: number) => {
      const calls = Array.from({ length: 5 }, () => seen(state, ['a'], counting(['a'], below)));
      return (await Promise.all(calls)).flat().sort();
    };
    equal(await countAtOnce(1), [0, 1, 1, 1, 1], 'with below 1, one call gets 0 and the others 1');
    const expected = [1, 2, 3, 4, 5];
    equal(
      await countAtOnce(Number.POSITIVE_INFINITY),
      expected,
      'with below Infinity, each gets another number',
    );
    equal(await seen(state, ['a']), [6], 'all calls are counted');
  }),

  rule('recall: counts and marks at the same time are all kept', async ({ state, equal }) => {
    const ids = ['a', 'b'];
    const request = counting(ids, Number.POSITIVE_INFINITY);
    await Promise.all([
      ...Array.from({ length: 5 }, () => seen(state, ids, request)),
      ...Array.from({ length: 5 }, () => attempt(state, ids)),
      handle(state, ['c']),
    ]);
    equal(await seen(state, ['a', 'b', 'c']), [10, 10, 'handled'], 'ten calls count ten attempts');
  }),

  expiryRule('recall: a counted event gets the lifetime attemptedMs', async ({ state, time, equal }) => {
    await attempt(state, ['longer'], 1, time.shortMs);
    await attempt(state, ['shorter'], 1);
    await handle(state, ['handled']);
    const below = Number.POSITIVE_INFINITY;
    await seen(state, ['longer'], { ...LIFETIMES, count: { ids: ['longer'], below } });
    const short = ['new', 'shorter', 'handled'];
    const request = { handledMs: LONG_MS, attemptedMs: time.shortMs, count: { ids: short, below } };
    await seen(state, short, request);
    await time.passMostOfShort();
    equal(await seen(state, short), [1, 2, 'handled'], 'they are there before attemptedMs has passed');
    await time.passRestOfShort();
    equal(await seen(state, short), [0, 0, 'handled'], 'they are gone as soon as attemptedMs has passed');
    equal(await seen(state, ['longer']), [2], 'the lifetime of an earlier attempt is replaced');
  }),

  expiryRule('recall: expired marks are counted from 0', async ({ state, time, equal }) => {
    await attempt(state, ['attempted'], 1, time.shortMs);
    await handle(state, ['handled'], time.shortMs);
    await time.passShort();
    const ids = ['attempted', 'handled'];
    equal(await seen(state, ids, counting(ids, 1)), [0, 0], 'expired marks are unknown');
    equal(await seen(state, ids), [1, 1], 'both were counted as new events');
  }),

  virtualTimeRule(
    'recall: with count, other marks are renewed as without',
    async ({ state, time, equal }) => {
      const ids = ['handled', 'attempted', 'counted'];
      await handle(state, ['handled'], 100);
      await attempt(state, ['attempted', 'counted'], 1, 100);
      const request = {
        handledMs: 1000,
        attemptedMs: 4000,
        count: { ids: ['handled', 'counted'], below: 9 },
      };
      await seen(state, ids, request);
      await time.pass(999);
      equal(await seen(state, ids), ['handled', 1, 2], 'all three marks were renewed');
      await time.pass(1);
      equal(await seen(state, ids), [0, 1, 2], 'the handled event was renewed by handledMs');
      await time.pass(2999);
      equal(await seen(state, ids), [0, 1, 2], 'the attempts were renewed by attemptedMs');
      await time.pass(1);
      equal(await seen(state, ids), [0, 0, 0], 'the attempts were renewed by attemptedMs');
    },
  ),
];

/** What several states over one storage count together. */
export async function countTogether({ state, reopen, equal }: Trial): Promise<void> {
  const second = await reopen();
  const calls = Array.from({ length: 10 }, (_, at) =>
    seen(at % 2 ? state : second, ['a'], counting(['a'], Number.POSITIVE_INFINITY)),
  );
  const attempts = (await Promise.all(calls)).flat() as number[];
  attempts.sort((one, other) => one - other);
  equal(attempts, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 'ten calls through two states count one by one');
  equal([await seen(state, ['a']), await seen(second, ['a'])], [[10], [10]], 'both states see all attempts');
}
