import { leaseRefused, quota, shut } from './checked-state.js';
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

  reopenRule('two states: leases and fences are shared', async (state) => {
    const fence = await state.lease(A);
    const second = await state.reopen();
    await second.lease(B, leaseRefused(45_000));
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
];
