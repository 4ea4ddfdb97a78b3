import { fenceOf } from './lease-rules.js';
import { attempt, handle, seen } from './mark-rules.js';
import { expectGranted } from './quota-rules.js';
import { type Rule, virtualTimeRule } from './trial.js';

const ONE = { limit: 1, holdMs: 90_000 };
const TWO = { limit: 2, holdMs: 90_000 };
const A = { holder: 'a', leaseMs: 45_000 };
const B = { holder: 'b', leaseMs: 60_000 };

/** A clock that is set back by an hour. */
export const CLOCK_RULES: readonly Rule[] = [
  virtualTimeRule(
    'lease: a clock that is set back keeps no lease for longer',
    async ({ state, time, equal }) => {
      await fenceOf(state, 'quota', A);
      time.setBackAnHour();
      equal(
        await state.lease('quota', B),
        { granted: false, waitMs: 45_000 },
        'the lease ends within its leaseMs',
      );
      const refused = { granted: false, waitMs: 45_000, reason: 'leased' };
      equal(await state.reserve('quota', { ...TWO, lease: B }), refused, 'reserve waits for the same end');
      await time.pass(44_999);
      equal(await state.lease('quota', B), { granted: false, waitMs: 1 }, 'its end does not move again');
      await time.pass(1);
      equal(
        (await state.lease('quota', B)).granted,
        true,
        'it has ended when its leaseMs has passed since then',
      );
    },
  ),

  virtualTimeRule('lease: fences grow, also if the clock is set back', async ({ state, time, equal }) => {
    const first = await fenceOf(state, 'quota', A);
    await state.lease('quota', { ...A, leaseMs: 0 });
    time.setBackAnHour();
    const second = await fenceOf(state, 'quota', B);
    equal(
      second > first,
      true,
      `the fence after the clock was set back is greater: ${second} after ${first}`,
    );
    await time.pass(60_000);
    const third = await fenceOf(state, 'quota', A);
    equal(third > second, true, `the next fence is greater again: ${third} after ${second}`);
  }),

  virtualTimeRule('reserve: a clock that is set back keeps no slot taken for longer', async (trial) => {
    const { state, time, equal } = trial;
    const id = await expectGranted(trial, TWO, 1, 'the first slot is granted');
    await expectGranted(trial, TWO, 0, 'the second slot is granted');
    await state.settle('quota', { id, freeInMs: 60_000 });
    time.setBackAnHour();
    const refused = await state.reserve('quota', TWO);
    equal('reason' in refused && refused.reason, 'quota', 'the slots are still taken');
    equal(
      'waitMs' in refused && refused.waitMs <= 90_000,
      true,
      'no slot is taken for longer than its own duration',
    );
    await time.pass(90_000);
    await expectGranted(trial, TWO, 1, 'both slots are free when their durations have passed since then');
  }),

  virtualTimeRule('reserve: a clock that is set back frees no slot earlier', async (trial) => {
    const { state, time, equal } = trial;
    await expectGranted(trial, { limit: 1, holdMs: 180_000 }, 0, 'a slot with a long holdMs is granted');
    time.setBackAnHour();
    const refused = { granted: false, waitMs: 180_000, reason: 'quota' };
    equal(
      await state.reserve('quota', ONE),
      refused,
      'the slot keeps its own duration, not that of the next request',
    );
    await time.pass(179_999);
    equal(await state.reserve('quota', ONE), { ...refused, waitMs: 1 }, 'its end does not move again');
    await time.pass(1);
    await expectGranted(trial, ONE, 0, 'it is free when its duration has passed');
  }),

  virtualTimeRule('settle: a clock that is set back keeps no key shut for longer', async (trial) => {
    const { state, time, equal } = trial;
    const shutFor = (waitMs: number) => ({ granted: false, waitMs, reason: 'shut' });
    await state.settle('quota', { shutMs: 60_000 });
    await state.settle('quota', { shutMs: 120_000 });
    time.setBackAnHour();
    equal(await state.reserve('quota', TWO), shutFor(120_000), 'the shut ends within its shutMs');
    await time.pass(30_000);
    await state.settle('quota', { shutMs: 60_000 });
    equal(
      await state.reserve('quota', TWO),
      shutFor(90_000),
      'a shorter shut does not end it, nor move its end',
    );
    await time.pass(90_000);
    await expectGranted(trial, TWO, 1, 'the key is open when the shutMs has passed since then');
  }),

  virtualTimeRule('settle: a shut counts, however long an earlier one seems to last', async (trial) => {
    const { state, time, equal } = trial;
    await state.settle('quota', { shutMs: 1000 });
    time.setBackAnHour();
    await state.settle('quota', { shutMs: 120_000 });
    const shut = { granted: false, waitMs: 120_000, reason: 'shut' };
    equal(await state.reserve('quota', TWO), shut, 'the earlier shut lasts for at most 1000 ms from then on');
  }),

  virtualTimeRule(
    'get and recall: a clock that is set back loses nothing',
    async ({ state, time, equal }) => {
      await state.set('key', 'value', { forMs: 1000 });
      await handle(state, ['handled'], 1000);
      await attempt(state, ['attempted'], 1, 1000);
      time.setBackAnHour();
      await time.pass(999);
      equal(await state.get('key'), 'value', 'a value is there before its lifetime has passed');
      equal(
        await seen(state, ['handled', 'attempted']),
        ['handled', 1],
        'marks are there before forMs has passed',
      );
    },
  ),
];
