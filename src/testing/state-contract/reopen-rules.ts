import { atOnce, held, quota, shut } from './checked-state.js';
import { counting } from './count-rules.js';
import { type Rule, reopenRule } from './rule.js';

const TWO = { limit: 2, holdMs: 90_000 };
const A = { holder: 'a', leaseMs: 45_000 };
const B = { holder: 'b', leaseMs: 45_000 };

/** Two states over one storage: two processes, or one before and after a restart. */
export const REOPEN_RULES: readonly Rule[] = [
  reopenRule('two states: values are shared, and visible at once', async (state) => {
    await state.set('key', 'one');
    const second = await state.reopen();
    await second.get('key', 'one');
    await second.set('key', 'two', { ifEquals: 'one' });
    await state.get('key', 'two');
    await state.set('key', 'three');
    await second.get('key', 'three');
    await second.set('key', undefined);
    await state.get('key', undefined);
    await (await state.reopen()).get('key', undefined);
  }),

  reopenRule('two states: comparing with ifEquals and writing are one step', async (state) => {
    const second = await state.reopen();
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = round % 2 ? [state, second] : [second, state];
      await state.set('key', 'a');
      await atOnce(3, (at) => (at === 1 ? other.set('key', 'c') : one.set('key', 'b', { ifEquals: 'a' })));
      await second.get('key', 'c');
    }
  }),

  reopenRule('two states: slots and shuts are shared', async (state) => {
    const first = await state.reserve(TWO);
    const second = await state.reopen();
    const next = await second.reserve(TWO, 0);
    await state.reserve(TWO, false);
    await second.settle({ id: first.id, freeInMs: 0 });
    await state.settle({ id: next.id, freeInMs: 60_000 });
    await state.reserve(TWO, 0);
    await second.reserve(TWO, quota(60_000));
    await state.settle({ shutMs: 30_000 });
    await second.reserve(TWO, shut(30_000));
    await (await state.reopen()).reserve(TWO, shut(30_000));
  }),

  reopenRule('two states: ids of slots are different', async (state) => {
    const ids = new Set<string>();
    for (const each of [state, await state.reopen(), state, await state.reopen()]) {
      for (let round = 0; round < 5; round += 1) {
        const { id } = await each.reserve(TWO);
        ids.add(id);
        await each.settle({ id, freeInMs: 0 });
      }
    }
    state.equal(ids.size, 20, 'different ids of 20 slots');
  }),

  reopenRule('two states: requests at the same time never exceed the limit', async (state) => {
    const second = await state.reopen();
    const request = { limit: 3, holdMs: 90_000 };
    const results = await atOnce(20, (at) => (at % 2 ? state : second).tryReserve(request));
    const ids = results.flatMap((result) => (result.granted ? [result.id] : []));
    state.equal(ids.length, 3, 'slots that 20 requests through two states were granted with a limit of 3');
    state.equal(new Set(ids).size, 3, 'different ids of these slots');
  }),

  reopenRule('two states: leases and fences are shared', async (state) => {
    const fence = await state.lease(A);
    const second = await state.reopen();
    await second.lease(B, held(45_000));
    await second.lease(A, { granted: true, fence });
    await second.release('a');
    const next = await state.lease(B);
    state.greater(next, fence);
    await state.release('b');
    const third = await (await state.reopen()).lease(A);
    state.greater(third, next);
    state.equal(
      (await second.reserve({ ...TWO, lease: A })).fence,
      third,
      'the fence of a lease that reserve renews',
    );
  }),

  reopenRule('two states: one of many that ask for a lease at the same time gets it', async (state) => {
    const second = await state.reopen();
    const leases = await atOnce(20, (at) =>
      (at % 2 ? state : second).tryLease({ holder: `holder ${at}`, leaseMs: 45_000 }),
    );
    state.equal(leases.filter(({ granted }) => granted).length, 1, 'leases of 20 holders at the same time');
  }),

  reopenRule('two states: marks are shared, and visible at once', async (state) => {
    const ids = ['a', 'b', 'c'];
    await state.handle(['a']);
    await state.attempt(['b']);
    const second = await state.reopen();
    await second.recall(ids, ['handled', 1, 0]);
    await second.attempt(['b', 'c']);
    await state.recall(ids, ['handled', 2, 1]);
    await state.handle(['c']);
    await state.attempt(['b'], -1);
    await second.recall(ids, ['handled', 1, 'handled']);
    await (await state.reopen()).recall(ids, ['handled', 1, 'handled']);
  }),

  reopenRule('two states: recalls at the same time count one by one', async (state) => {
    const second = await state.reopen();
    const marks = await atOnce(10, (at) => (at % 2 ? state : second).tryRecall(['a'], counting(['a'])));
    const attempts = (marks.flat() as number[]).sort((one, other) => one - other);
    state.equal(attempts, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 'the marks for ten calls through two states');
    for (const each of [state, second]) await each.recall(['a'], [10]);
  }),
];
