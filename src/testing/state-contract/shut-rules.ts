import { expectGranted } from './quota-rules.js';
import { expiryRule, type Rule, rule } from './trial.js';

const ONE = { limit: 1, holdMs: 90_000 };
const TWO = { limit: 2, holdMs: 90_000 };
const shutFor = (waitMs: number) => ({ granted: false, waitMs, reason: 'shut' });

/** `settle` with `shutMs`, and the order in which `reserve` checks. */
export const SHUT_RULES: readonly Rule[] = [
  rule('settle: shutMs makes reserve refuse every request of the key', async ({ state, equal }) => {
    await state.settle('quota', { shutMs: 30_000 });
    equal(await state.reserve('quota', TWO), shutFor(30_000), 'reserve refuses with the rest of the shut');
    equal(await state.reserve('quota', { ...TWO, limit: 100 }), shutFor(30_000), 'the limit does not matter');
    equal((await state.reserve('other', TWO)).granted, true, 'another key is not shut');
  }),

  expiryRule('settle: a shut ends as soon as shutMs has passed, and not before', async (trial) => {
    const { state, time, equal } = trial;
    await state.settle('quota', { shutMs: time.shortMs });
    await time.passMostOfShort();
    const { reason } = { reason: undefined, ...(await state.reserve('quota', ONE)) };
    equal(reason, 'shut', 'the key is shut before shutMs has passed');
    await time.passRestOfShort();
    await expectGranted(
      trial,
      ONE,
      0,
      'the key is open as soon as shutMs has passed, and all slots are free',
    );
  }),

  rule('settle: of two shuts, the one that ends later remains', async ({ state, equal }) => {
    await state.settle('quota', { shutMs: 50_000 });
    await state.settle('quota', { shutMs: 10_000 });
    equal(await state.reserve('quota', ONE), shutFor(50_000), 'a shorter shut does not end a longer one');
    await state.settle('quota', { shutMs: 70_000 });
    equal(await state.reserve('quota', ONE), shutFor(70_000), 'a longer shut replaces a shorter one');
    for (const shutMs of [0, -1, undefined]) await state.settle('quota', { shutMs });
    equal(await state.reserve('quota', ONE), shutFor(70_000), 'a shutMs of 0 or less changes nothing');
  }),

  rule('settle: a shutMs of 0 or less does nothing', async (trial) => {
    for (const shutMs of [0, -1000]) await trial.state.settle('quota', { shutMs });
    await expectGranted(trial, ONE, 0, 'a key that was shut for 0 ms or less is open');
  }),

  expiryRule('settle: a shut frees no slot, and takes none', async (trial) => {
    const { state, time, equal } = trial;
    await expectGranted(trial, TWO, 1, 'the first slot is granted');
    await state.settle('quota', { shutMs: time.shortMs });
    await state.reserve('quota', TWO);
    await time.passShort();
    await expectGranted(trial, TWO, 0, 'after a shut, exactly the slot from before it is taken');
    const refused = await state.reserve('quota', TWO);
    equal(
      'reason' in refused && refused.reason,
      'quota',
      'after a shut, reserve refuses because of the slots',
    );
  }),

  rule('settle: one call can settle a slot and shut the key', async (trial) => {
    const { state, equal } = trial;
    const id = await expectGranted(trial, ONE, 0, 'the only slot is granted');
    await state.settle('quota', { id, freeInMs: 60_000, shutMs: 30_000 });
    equal(await state.reserve('quota', ONE), shutFor(30_000), 'the key is shut');
    await state.settle('open', { id: 'unknown', freeInMs: 60_000, shutMs: 0 });
    const quota = { granted: false, waitMs: 60_000, reason: 'quota' };
    equal(await state.reserve('open', ONE), quota, 'with shutMs 0, only the slot changes');
    await state.settle('shut', { id: 'unknown', freeInMs: 0, shutMs: 30_000 });
    equal(await state.reserve('shut', ONE), shutFor(30_000), 'with freeInMs 0, the key is shut as well');
  }),

  expiryRule('settle: the slot of a call that also shuts is settled', async (trial) => {
    const { state, time, equal } = trial;
    const id = await expectGranted(trial, TWO, 1, 'the first slot is granted');
    await state.settle('quota', { id, freeInMs: 0, shutMs: time.shortMs });
    await state.settle('quota', { id: 'lost', freeInMs: 60_000, shutMs: time.shortMs });
    await time.passShort();
    await expectGranted(trial, TWO, 0, 'after the shut, the settled slot is free and the lost one is taken');
    const refused = await state.reserve('quota', TWO);
    equal(
      refused,
      { granted: false, waitMs: 60_000 - time.shortMs, reason: 'quota' },
      'and frees in its time',
    );
  }),

  rule('reserve: it checks first the lease, then the shut, then the slots', async (trial) => {
    const { state, equal } = trial;
    const a = { holder: 'a', leaseMs: 45_000 };
    const b = { holder: 'b', leaseMs: 45_000 };
    await expectGranted(trial, { ...ONE, lease: a }, 0, 'the only slot is granted');
    const quota = { granted: false, waitMs: 90_000, reason: 'quota' };
    equal(await state.reserve('quota', ONE), quota, 'without a shut, the slots count');
    await state.settle('quota', { shutMs: 30_000 });
    equal(await state.reserve('quota', ONE), shutFor(30_000), 'a shut counts before the slots');
    const leased = { granted: false, waitMs: 45_000, reason: 'leased' };
    equal(await state.reserve('quota', { ...ONE, lease: b }), leased, 'a lease counts before a shut');
  }),
];
