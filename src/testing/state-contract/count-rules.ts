import type { RecallRequest } from '../../state/port.js';
import { atOnce, LONG_MS } from './checked-state.js';
import { expiryRule, type Rule, rule, sharedRules } from './rule.js';

const LIFETIMES = { handledMs: LONG_MS, attemptedMs: LONG_MS };

/** @param below - default: all events that are not handled are counted. */
const counting = (ids: readonly string[], below = Number.POSITIVE_INFINITY): RecallRequest => ({
  ...LIFETIMES,
  count: { ids, below },
});

/** `recall` with `count`. */
export const COUNT_RULES: readonly Rule[] = [
  rule('recall: with count, it returns the marks as they were before', async (state) => {
    await state.handle(['handled']);
    await state.attempt(['once']);
    const ids = ['handled', 'once', 'new', 'not counted'];
    const request = counting(['new', 'once', 'handled']);
    await state.recall(ids, ['handled', 1, 0, 0], request);
    await state.recall(ids, ['handled', 2, 1, 0], request);
    await state.recall(ids, ['handled', 3, 2, 0]);
    await state.recall(ids, [0, 0, 0, 0], LIFETIMES, 'other');
  }),

  rule('recall: without count, or without ids to count, it counts nothing', async (state) => {
    await state.attempt(['a']);
    for (const request of [{ ...LIFETIMES, count: undefined }, counting([], 1), counting([]), LIFETIMES])
      await state.recall(['a', 'b'], [1, 0], request);
    await state.recall(['a', 'b'], [1, 0]);
    await state.recall([], [], counting([], 1));
  }),

  rule('recall: it counts only events with fewer attempts than count.below', async (state) => {
    await state.attempt(['once']);
    const ids = ['new', 'once'];
    const all = Number.POSITIVE_INFINITY;
    for (const [below, before] of [
      [0, [0, 1]],
      [1, [0, 1]],
      [1, [1, 1]],
      [2, [1, 1]],
      [2, [2, 2]],
      [all, [2, 2]],
      [0, [3, 3]],
    ] as const)
      await state.recall(ids, before, counting(ids, below));
  }),

  rule('recall: it counts an id once, also if it occurs twice', async (state) => {
    const ids = ['a', 'a', ...Array.from({ length: 2500 }, (_, index) => `id ${index}`), 'a'];
    const request = counting([...ids, 'a']);
    await state.recall(ids, Array(ids.length).fill(0), request);
    await state.recall(ids, Array(ids.length).fill(1), request);
    await state.recall(ids, Array(ids.length).fill(2));
  }),

  ...sharedRules(
    'recall: of several that count a new id at the same time, one finds it new',
    async (state, second) => {
      const countAtOnce = async (below?: number) => {
        const count = counting(['a'], below);
        return (await atOnce(5, (at) => (at % 2 ? state : second).tryRecall(['a'], count))).flat().sort();
      };
      state.equal(await countAtOnce(1), [0, 1, 1, 1, 1], 'the marks for five calls with below 1');
      state.equal(await countAtOnce(), [1, 2, 3, 4, 5], 'the marks for five calls with below Infinity');
      for (const each of [state, second]) await each.recall(['a'], [6]);
    },
  ),

  rule('recall: counts and marks at the same time are all kept', async (state) => {
    const ids = ['a', 'b'];
    await atOnce(11, async (at) => {
      if (at === 10) await state.handle(['c']);
      else if (at < 5) await state.tryRecall(ids, counting(ids));
      else await state.attempt(ids);
    });
    await state.recall(['a', 'b', 'c'], [10, 10, 'handled']);
  }),

  expiryRule('recall: a counted event gets the lifetime attemptedMs', async (state, time) => {
    await state.attempt(['longer'], 1, time.shortMs);
    await state.attempt(['shorter']);
    await state.handle(['handled']);
    await state.recall(['longer'], [1], counting(['longer']));
    const short = ['new', 'shorter', 'handled'];
    await state.recall(short, [0, 1, 'handled'], { ...counting(short), attemptedMs: time.shortMs });
    await time.passMostOfShort();
    await state.recall(short, [1, 2, 'handled']);
    await time.passRestOfShort();
    await state.recall(short, [0, 0, 'handled']);
    await state.recall(['longer'], [2]);
  }),

  expiryRule('recall: expired marks are counted from 0', async (state, time) => {
    await state.attempt(['attempted'], 1, time.shortMs);
    await state.handle(['handled'], time.shortMs);
    await time.passShort();
    const ids = ['attempted', 'handled'];
    await state.recall(ids, [0, 0], counting(ids, 1));
    await state.recall(ids, [1, 1]);
  }),
];
