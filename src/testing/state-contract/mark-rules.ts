import type { Mark, RecallRequest } from '../../state/port.js';
import type { Calls } from './calls.js';
import { expiryRule, type Rule, rule } from './trial.js';

/** Longer than any case takes. */
export const LONG_MS = 600_000;

/** Recalls marks without renewing them: less than three quarters of 0 ms are never left. */
export const NOT_RENEWED: RecallRequest = { handledMs: 0, attemptedMs: 0 };

/** The attempts of a handled event may be any number, so it is only `handled`. A mark of another shape is compared as it is. */
function seenOf(mark: Mark): unknown {
  if (mark.handled === true) return 'handled';
  return mark.handled === false ? mark.attempts : mark;
}

export async function seen(
  state: Calls,
  ids: readonly string[],
  request: RecallRequest = NOT_RENEWED,
  key = 'events',
): Promise<unknown[]> {
  return (await state.recall(key, ids, request)).map(seenOf);
}

export const handle = (state: Calls, ids: readonly string[], forMs = LONG_MS) =>
  state.mark('events', ids, { handled: true, forMs });

export const attempt = (state: Calls, ids: readonly string[], attempts: 1 | -1 = 1, forMs = LONG_MS) =>
  state.mark('events', ids, { attempts, forMs });

export const MARK_RULES: readonly Rule[] = [
  rule('recall: it returns one mark for each id, in the order of the ids', async ({ state, equal }) => {
    equal(
      await state.recall('events', ['x', 'y'], NOT_RENEWED),
      [
        { handled: false, attempts: 0 },
        { handled: false, attempts: 0 },
      ],
      'an event without a mark is not handled and has 0 attempts',
    );
    await handle(state, ['b', 'd']);
    await attempt(state, ['c']);
    const marks = ['handled', 1, 0, 'handled', 'handled', 1];
    equal(await seen(state, ['d', 'c', 'a', 'b', 'd', 'c']), marks, 'the marks are in the order of the ids');
    equal(await seen(state, []), [], 'without ids, there are no marks');
    equal(await seen(state, ['b', 'c'], NOT_RENEWED, 'other'), [0, 0], 'each key has its own marks');
  }),

  expiryRule('mark: a handled event is known until forMs has passed, and not longer', async (trial) => {
    const { state, time, equal } = trial;
    await handle(state, ['short', 'extended'], time.shortMs);
    await handle(state, ['extended', 'long']);
    await time.passMostOfShort();
    equal(await seen(state, ['short']), ['handled'], 'it is handled before forMs has passed');
    await time.passRestOfShort();
    equal(await seen(state, ['short']), [0], 'it is unknown as soon as forMs has passed');
    const marks = ['handled', 0, 'handled'];
    equal(await seen(state, ['extended', 'short', 'long']), marks, 'each mark has its own lifetime');
  }),

  expiryRule('mark: attempts are known until forMs has passed, and not longer', async (trial) => {
    const { state, time, equal } = trial;
    await attempt(state, ['short', 'extended'], 1, time.shortMs);
    await attempt(state, ['extended'], 1);
    await time.passMostOfShort();
    equal(await seen(state, ['short']), [1], 'the attempts are there before forMs has passed');
    await time.passRestOfShort();
    equal(await seen(state, ['short']), [0], 'the attempts are gone as soon as forMs has passed');
    equal(await seen(state, ['extended']), [2], 'each attempt sets the lifetime of the mark');
    await attempt(state, ['short']);
    equal(await seen(state, ['short']), [1], 'after its attempts have expired, an event is counted from 0');
  }),

  rule('mark: handled with a forMs of 0 or less removes the mark', async ({ state, equal }) => {
    for (const forMs of [0, -1]) {
      await handle(state, ['handled', 'other']);
      await attempt(state, ['attempted']);
      await handle(state, ['handled', 'attempted', 'new'], forMs);
      const ids = ['handled', 'attempted', 'new', 'other'];
      equal(await seen(state, ids), [0, 0, 0, 'handled'], `forMs ${forMs} removes the marks of these ids`);
    }
  }),

  rule('mark: attempts are added and taken back one by one', async ({ state, equal }) => {
    await attempt(state, ['a', 'b']);
    await attempt(state, ['a']);
    equal(await seen(state, ['a', 'b', 'c']), [2, 1, 0], 'each mark adds one attempt to each of its ids');
    await attempt(state, ['a', 'b', 'c'], -1);
    equal(
      await seen(state, ['a', 'b', 'c']),
      [1, 0, 0],
      'attempts -1 takes one back, and never goes below 0',
    );
    await attempt(state, ['b', 'c']);
    equal(await seen(state, ['b', 'c']), [1, 1], 'an event with 0 attempts is counted from 0 again');
    const unknown = await state.recall('events', ['x'], NOT_RENEWED);
    await attempt(state, ['a'], -1);
    equal(await state.recall('events', ['a'], NOT_RENEWED), unknown, 'at 0 attempts the event is unknown');
    equal(await seen(state, ['b'], NOT_RENEWED, 'other'), [0], 'another key has its own attempts');
  }),

  rule('mark: attempts at the same time are all counted', async ({ state, equal }) => {
    // More than a signed byte can count.
    await Promise.all(Array.from({ length: 130 }, () => attempt(state, ['a', 'b'])));
    equal(await seen(state, ['a', 'b']), [130, 130], '130 calls at the same time count 130 attempts');
    await Promise.all(Array.from({ length: 10 }, () => attempt(state, ['a'], -1)));
    equal(await seen(state, ['a', 'b']), [120, 130], 'ten calls with -1 take back ten attempts');
  }),

  rule('mark: a handled event stays handled', async ({ state, equal }) => {
    await attempt(state, ['a']);
    await handle(state, ['a', 'b']);
    equal(await seen(state, ['a', 'b']), ['handled', 'handled'], 'handled replaces the attempts');
    for (const attempts of [1, -1, -1] as const) {
      await attempt(state, ['a', 'b', 'c'], attempts);
      equal(
        await seen(state, ['a', 'b']),
        ['handled', 'handled'],
        `attempts ${attempts} changes no handled event`,
      );
    }
    await handle(state, ['a']);
    equal(await seen(state, ['a']), ['handled'], 'a handled event can be marked as handled again');
  }),

  expiryRule('mark: attempts do not change the lifetime of a handled event', async (trial) => {
    const { state, time, equal } = trial;
    await handle(state, ['short'], time.shortMs);
    await handle(state, ['long']);
    for (const attempts of [1, -1] as const) {
      await attempt(state, ['short'], attempts);
      await attempt(state, ['long'], attempts, time.shortMs);
    }
    await time.passShort();
    equal(
      await seen(state, ['short', 'long']),
      [0, 'handled'],
      'both have the lifetime of their handled mark',
    );
  }),

  rule('mark: any number of ids, also none, and an id may occur twice', async ({ state, equal }) => {
    await handle(state, []);
    await attempt(state, []);
    await handle(state, ['a', 'b', 'a']);
    equal(await seen(state, ['a', 'b']), ['handled', 'handled'], 'an id that occurs twice is handled');
    const ids = Array.from({ length: 5000 }, (_, index) => `id ${index}`);
    await handle(state, ids);
    equal(await seen(state, [...ids, 'x']), [...ids.map(() => 'handled'), 0], '5000 ids are handled');
    const others = ids.map((id) => `other ${id}`);
    await attempt(state, others);
    equal(
      await seen(state, others),
      others.map(() => 1),
      '5000 ids are attempted',
    );
  }),

  rule('mark: ids are distinguished, whatever string they are', async ({ state, equal }) => {
    const special = ['__proto__', '\u2028', '😀', '\'"\\`%_{}[],;:|', 'null', 'x'.repeat(500)];
    const ids = ['a', '', 'é', '0', 'a\u0000b', ...special];
    const notProperties = ['constructor', 'toString', '\u0001', 'undefined', 'x'.repeat(501)];
    const similar = ['A', 'a ', ' a', 'a\n', '\ufeffa', ' ', '\u0000', 'e\u0301', 'e', 'É', '00', 'a\u0000c'];
    const others = [...similar, ...notProperties];
    await handle(state, ids);
    const handled = ids.map(() => 'handled');
    const unknown = [...handled, ...others.map(() => 0)];
    equal(
      await seen(state, [...ids, ...others]),
      unknown,
      `only these ids are handled: ${JSON.stringify(ids)}`,
    );
    await attempt(state, others);
    const attempted = [...handled, ...others.map(() => 1)];
    equal(
      await seen(state, [...ids, ...others]),
      attempted,
      `only these are attempted: ${JSON.stringify(others)}`,
    );
  }),
];
