import { countTogether } from './count-rules.js';
import { fenceOf } from './lease-rules.js';
import { attempt, handle, seen } from './mark-rules.js';
import { slotOf } from './quota-rules.js';
import { type Rule, reopenRule } from './trial.js';

const LONG = { forMs: 600_000 };
const TWO = { limit: 2, holdMs: 90_000 };
const A = { holder: 'a', leaseMs: 45_000 };
const B = { holder: 'b', leaseMs: 45_000 };

/** Two states over one storage: two processes, or one before and after a restart. */
export const REOPEN_RULES: readonly Rule[] = [
  reopenRule('two states: values are shared, and visible at once', async ({ state, reopen, equal }) => {
    await state.set('key', 'one', LONG);
    const second = await reopen();
    equal(await second.get('key'), 'one', 'a value from before is there');
    await second.set('key', 'two', { ...LONG, ifEquals: 'one' });
    equal(await state.get('key'), 'two', 'the first state sees what the second one has written');
    await state.set('key', 'three', LONG);
    equal(await second.get('key'), 'three', 'the second state sees what the first one has written');
    await second.set('key', undefined, { forMs: 0 });
    equal(await state.get('key'), undefined, 'the first state sees what the second one has removed');
    equal(await (await reopen()).get('key'), undefined, 'a third state sees it too');
  }),

  reopenRule('two states: comparing with ifEquals and writing are one step', async (trial) => {
    const { state, reopen, equal } = trial;
    const second = await reopen();
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = round % 2 ? [state, second] : [second, state];
      await state.set('key', 'a', LONG);
      await Promise.all([
        one.set('key', 'b', { ...LONG, ifEquals: 'a' }),
        other.set('key', 'c', LONG),
        one.set('key', 'b', { ...LONG, ifEquals: 'a' }),
      ]);
      equal(await second.get('key'), 'c', "after set 'c', a call with ifEquals 'a' writes nothing");
    }
  }),

  reopenRule('two states: slots and shuts are shared', async ({ state, reopen, equal }) => {
    const first = await slotOf(state, 'quota', TWO);
    const second = await reopen();
    const next = await slotOf(second, 'quota', TWO);
    equal(next.remaining, 0, 'a slot from before is taken');
    equal(
      (await state.reserve('quota', TWO)).granted,
      false,
      'a slot of the second state is taken in the first',
    );
    await second.settle('quota', { id: first.id, freeInMs: 0 });
    await state.settle('quota', { id: next.id, freeInMs: 60_000 });
    equal((await slotOf(state, 'quota', TWO)).remaining, 0, 'each state can settle the slots of the other');
    const quota = { granted: false, waitMs: 60_000, reason: 'quota' };
    equal(
      await second.reserve('quota', TWO),
      quota,
      'the second state sees how the first has settled its slot',
    );
    await state.settle('quota', { shutMs: 30_000 });
    const shut = { granted: false, waitMs: 30_000, reason: 'shut' };
    equal(await second.reserve('quota', TWO), shut, 'a shut counts in both states');
    equal(await (await reopen()).reserve('quota', TWO), shut, 'and in a third one');
  }),

  reopenRule('two states: ids of slots are different', async ({ state, reopen, equal }) => {
    const ids: string[] = [];
    for (const each of [state, await reopen(), state, await reopen()]) {
      for (let round = 0; round < 5; round += 1) {
        const { id } = await slotOf(each, 'quota', TWO);
        ids.push(id);
        await each.settle('quota', { id, freeInMs: 0 });
      }
    }
    equal(new Set(ids).size, ids.length, 'no state uses the id of a slot that another one has used');
  }),

  reopenRule('two states: requests at the same time never exceed the limit', async (trial) => {
    const { state, reopen, equal } = trial;
    const second = await reopen();
    const request = { limit: 3, holdMs: 90_000 };
    const calls = Array.from({ length: 20 }, (_, at) => (at % 2 ? state : second).reserve('quota', request));
    const ids = (await Promise.all(calls)).flatMap((result) => (result.granted ? [result.id] : []));
    equal(ids.length, 3, 'of 20 requests through two states, exactly the limit of 3 is granted');
    equal(new Set(ids).size, 3, 'each slot has an id of its own');
  }),

  reopenRule('two states: leases and fences are shared', async ({ state, reopen, equal }) => {
    const first = await fenceOf(state, 'quota', A);
    const second = await reopen();
    const refused = { granted: false, waitMs: 45_000 };
    equal(await second.lease('quota', B), refused, 'a lease from before has a holder');
    equal(
      await fenceOf(second, 'quota', A),
      first,
      'its holder renews it through any state, with the same fence',
    );
    await second.lease('quota', { ...A, leaseMs: 0 });
    const next = await fenceOf(state, 'quota', B);
    equal(next > first, true, `a release ends the lease in both states: fence ${next} after ${first}`);
    await state.lease('quota', { ...B, leaseMs: 0 });
    const third = await fenceOf(await reopen(), 'quota', A);
    equal(third > next, true, `a fence is greater than those of other states: ${third} after ${next}`);
    const slot = await slotOf(second, 'quota', { ...TWO, lease: A });
    equal(slot.fence, third, 'reserve renews the lease of another state');
  }),

  reopenRule('two states: one of many that ask for a lease at the same time gets it', async (trial) => {
    const { state, reopen, equal } = trial;
    const second = await reopen();
    const calls = Array.from({ length: 20 }, (_, at) =>
      (at % 2 ? state : second).lease('quota', { holder: `holder ${at}`, leaseMs: 45_000 }),
    );
    const granted = (await Promise.all(calls)).filter((lease) => lease.granted);
    equal(granted.length, 1, 'of 20 holders that ask through two states, exactly one gets the lease');
  }),

  reopenRule('two states: marks are shared, and visible at once', async ({ state, reopen, equal }) => {
    const ids = ['a', 'b', 'c'];
    await handle(state, ['a']);
    await attempt(state, ['b']);
    const second = await reopen();
    equal(await seen(second, ids), ['handled', 1, 0], 'marks from before are there');
    await attempt(second, ['b', 'c']);
    equal(await seen(state, ids), ['handled', 2, 1], 'the first state sees marks of the second one');
    await handle(state, ['c']);
    await attempt(state, ['b'], -1);
    const marks = ['handled', 1, 'handled'];
    equal(await seen(second, ids), marks, 'the second state sees marks of the first one');
    equal(await seen(await reopen(), ids), marks, 'a third state sees them too');
  }),

  reopenRule('two states: recalls at the same time count one by one', countTogether),
];
