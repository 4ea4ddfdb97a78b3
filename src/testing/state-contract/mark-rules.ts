import { atOnce, LONG_MS } from './checked-state.js';
import { expiryRule, type Rule, rule, virtualTimeRule } from './rule.js';

const SPECIAL = ['__proto__', '\u2028', '😀', '\'"\\`%_{}[],;:|', 'null', 'x'.repeat(500)];
const IDS = ['a', '', 'é', '0', 'a\u0000b', ...SPECIAL];
/** JSON of a hub may contain halves of surrogate pairs, which UTF-8 turns into U+FFFD. */
const NOT_IN_UTF8 = ['\ufffd', '\ud800', '\ud801', '\udc00'];
const NOT_PROPERTIES = ['constructor', 'toString', '\u0001', 'undefined', 'x'.repeat(501)];
const SIMILAR = ['A', 'a ', ' a', 'a\n', '\ufeffa', ' ', '\u0000', 'e\u0301', 'e', 'É', '00', 'a\u0000c'];

/** How marks are made, kept and renewed. `recall` with `count` has rules of its own. */
export const MARK_RULES: readonly Rule[] = [
  rule('recall: it returns one mark for each id, in the order of the ids', async (state) => {
    const unknown = { handled: false, attempts: 0 };
    await state.recallMarks(['x', 'y'], [unknown, unknown]);
    await state.handle(['b', 'd']);
    await state.attempt(['c']);
    await state.recall(['d', 'c', 'a', 'b', 'd', 'c'], ['handled', 1, 0, 'handled', 'handled', 1]);
    await state.recall([], []);
    await state.recall(['b', 'c'], [0, 0], undefined, 'other');
  }),

  expiryRule('mark: it replaces the lifetime of an earlier mark', async (state, time) => {
    await state.handle(['handled'], time.shortMs);
    await state.attempt(['attempted', 'expired'], 1, time.shortMs);
    await state.attempt(['taken back'], 1, time.shortMs);
    await state.attempt(['taken back'], 1, time.shortMs);
    await state.handle(['handled']);
    await state.attempt(['attempted']);
    await time.passShort();
    await state.attempt(['taken back'], -1);
    await state.attempt(['expired']);
    await state.recall(['handled', 'attempted', 'expired', 'taken back'], ['handled', 2, 1, 0]);
  }),

  rule('mark: handled with a forMs of 0 or less removes the mark', async (state) => {
    for (const forMs of [0, -1]) {
      await state.handle(['handled', 'other']);
      await state.attempt(['attempted']);
      await state.handle(['handled', 'attempted', 'new'], forMs);
      await state.recall(['handled', 'attempted', 'new', 'other'], [0, 0, 0, 'handled']);
    }
  }),

  rule('mark: attempts are added and taken back one by one', async (state) => {
    await state.attempt(['a', 'b']);
    await state.attempt(['a']);
    await state.recall(['a', 'b', 'c'], [2, 1, 0]);
    await state.attempt(['a', 'b', 'c'], -1);
    await state.recall(['a', 'b', 'c'], [1, 0, 0]);
    await state.attempt(['b', 'c']);
    await state.recall(['b', 'c'], [1, 1]);
    await state.attempt(['a'], -1);
    await state.recallMarks(['a', 'x'], Array(2).fill({ handled: false, attempts: 0 }));
    await state.recall(['b'], [0], undefined, 'other');
  }),

  rule('mark: attempts at the same time are all counted', async (state) => {
    // More than a signed byte can count.
    await atOnce(130, () => state.attempt(['a', 'b']));
    await state.recall(['a', 'b'], [130, 130]);
    await atOnce(10, () => state.attempt(['a'], -1));
    await state.recall(['a', 'b'], [120, 130]);
  }),

  rule('mark: a handled event stays handled', async (state) => {
    await state.attempt(['a']);
    await state.handle(['a', 'b']);
    await state.recall(['a', 'b'], ['handled', 'handled']);
    for (const attempts of [1, -1, -1] as const) {
      await state.attempt(['a', 'b', 'c'], attempts);
      await state.recall(['a', 'b'], ['handled', 'handled']);
    }
    await state.handle(['a']);
    await state.recall(['a'], ['handled']);
  }),

  expiryRule('mark: attempts do not change the lifetime of a handled event', async (state, time) => {
    await state.handle(['short'], time.shortMs);
    await state.handle(['long']);
    for (const attempts of [1, -1] as const) {
      await state.attempt(['short'], attempts);
      await state.attempt(['long'], attempts, time.shortMs);
    }
    await time.passShort();
    await state.recall(['short', 'long'], [0, 'handled']);
  }),

  rule('mark: any number of ids, also none, and an id may occur twice', async (state) => {
    await state.handle([]);
    await state.attempt([]);
    await state.handle(['a', 'b', 'a']);
    await state.recall(['a', 'b'], ['handled', 'handled']);
    const ids = Array.from({ length: 5000 }, (_, index) => `id ${index}`);
    await state.handle(ids);
    await state.recall([...ids, 'x'], [...ids.map(() => 'handled'), 0]);
    const others = ids.map((id) => `other ${id}`);
    await state.attempt(others);
    await state.recall(others, Array(5000).fill(1));
  }),

  rule('mark: ids are distinguished, whatever string they are', async (state) => {
    const others = [...SIMILAR, ...NOT_IN_UTF8, ...NOT_PROPERTIES];
    const marks = (ofOthers: number) => [...IDS.map(() => 'handled'), ...others.map(() => ofOthers)];
    await state.handle(IDS);
    await state.recall([...IDS, ...others], marks(0));
    await state.attempt(others);
    await state.recall([...IDS, ...others], marks(1));
  }),

  expiryRule(
    'recall: with less than three quarters left, a mark gets its full lifetime',
    async (state, time) => {
      await state.handle(['renewed', 'kept'], time.shortMs);
      await state.attempt(['attempted', 'not renewed'], 1, time.shortMs);
      const lifetimes = { handledMs: LONG_MS, attemptedMs: LONG_MS };
      await state.recall(['renewed', 'attempted'], ['handled', 1], lifetimes);
      await time.passShort();
      await state.recall(['renewed', 'kept', 'attempted', 'not renewed'], ['handled', 0, 1, 0]);
    },
  ),

  virtualTimeRule('recall: it renews handled by handledMs, attempts by attemptedMs', async (state, time) => {
    const ids = ['handled', 'attempted', 'counted'];
    await state.handle(['handled'], 100);
    await state.attempt(['attempted', 'counted'], 1, 100);
    const count = { ids: ['handled', 'counted'], below: 9 };
    await state.recall(ids, ['handled', 1, 1], { handledMs: 1000, attemptedMs: 4000, count });
    await time.clock.advance(999);
    await state.recall(ids, ['handled', 1, 2]);
    await time.clock.advance(1);
    await state.recall(ids, [0, 1, 2]);
    await time.clock.advance(2999);
    await state.recall(ids, [0, 1, 2]);
    await time.clock.advance(1);
    await state.recall(ids, [0, 0, 0]);
  }),

  virtualTimeRule('recall: with three quarters left, a mark is not renewed', async (state, time) => {
    await state.handle(['early', 'late'], 1000);
    const lifetimes = { handledMs: 1000, attemptedMs: 1000 };
    await time.clock.advance(250);
    await state.recall(['early'], ['handled'], lifetimes);
    await time.clock.advance(1);
    await state.recall(['late'], ['handled'], lifetimes);
    await time.clock.advance(749);
    // Renewed with 749 of 1000 ms left, and not with 750.
    await state.recall(['early', 'late'], [0, 'handled']);
    await time.clock.advance(250);
    await state.recall(['late'], ['handled']);
    await time.clock.advance(1);
    await state.recall(['late'], [0]);
  }),

  virtualTimeRule('recall: a mark that is renewed again and again never expires', async (state) => {
    await state.handle(['handled'], 1000);
    await state.attempt(['attempted'], 1, 1000);
    for (let round = 0; round < 20; round += 1) {
      await state.time.clock.advance(600);
      await state.recall(['handled', 'attempted'], ['handled', 1], { handledMs: 1000, attemptedMs: 1000 });
    }
  }),
];
