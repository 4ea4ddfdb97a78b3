import type { Lease } from '../../state/reservation.js';
import type { Calls } from './calls.js';
import { slotOf } from './quota-rules.js';
import { expiryRule, type Rule, rule } from './trial.js';

const A = { holder: 'a', leaseMs: 45_000 };
const B = { holder: 'b', leaseMs: 45_000 };
const ONE = { limit: 1, holdMs: 60_000 };

/** Acquires a lease, which must be granted. */
export async function fenceOf(state: Calls, key: string, request: { holder: string; leaseMs: number }) {
  const lease: Lease = await state.lease(key, request);
  if (lease.granted) return lease.fence;
  throw new Error(`lease must be granted to '${request.holder}' here\n  received: ${JSON.stringify(lease)}`);
}

export const LEASE_RULES: readonly Rule[] = [
  rule('lease: it has one holder, who renews it; others are refused', async ({ state, equal, time }) => {
    const first = await state.lease('quota', A);
    equal(first.granted, true, 'the lease is granted if nobody has it');
    const fence = await fenceOf(state, 'quota', A);
    equal(first, { granted: true, fence }, 'the fence stays the same while one holder renews');
    equal(Number.isSafeInteger(fence) && fence > 0, true, `a fence is a positive safe integer: ${fence}`);
    equal(fence >= time.reachedAt(), true, `the first fence is at least the time in epoch ms: ${fence}`);
    const refused = { granted: false, waitMs: 45_000 };
    equal(await state.lease('quota', B), refused, 'another holder is refused until the lease ends');
    equal((await state.lease('other', B)).granted, true, 'another key has its own lease');
  }),

  rule('lease: a renewal ends leaseMs after it', async ({ state, equal }) => {
    for (const leaseMs of [10_000, 90_000, 20_000]) {
      await fenceOf(state, 'quota', { ...A, leaseMs });
      equal(
        await state.lease('quota', B),
        { granted: false, waitMs: leaseMs },
        `it ends after ${leaseMs} ms`,
      );
    }
  }),

  expiryRule('lease: it ends after leaseMs; the next holder gets a greater fence', async (trial) => {
    const { state, time, equal } = trial;
    const first = await fenceOf(state, 'quota', { holder: 'a', leaseMs: time.shortMs });
    await time.passMostOfShort();
    equal(
      (await state.lease('quota', B)).granted,
      false,
      'the lease has not ended before leaseMs has passed',
    );
    await time.passRestOfShort();
    const second = await fenceOf(state, 'quota', B);
    equal(second > first, true, `the fence of a new holder is greater: ${second} after ${first}`);
    const refused = { granted: false, waitMs: 45_000 };
    equal(
      await state.lease('quota', A),
      refused,
      'the earlier holder is refused while another one has the lease',
    );
  }),

  expiryRule('lease: its last holder gets it again with the same fence after it has ended', async (trial) => {
    const { state, time, equal } = trial;
    const first = await fenceOf(state, 'quota', { holder: 'a', leaseMs: time.shortMs });
    await time.passShort();
    await state.lease('quota', { ...B, leaseMs: 0 });
    equal(await fenceOf(state, 'quota', A), first, 'nobody else had the lease, so the fence is the same');
    equal((await state.lease('quota', B)).granted, false, 'and the last holder has the lease again');
  }),

  rule('lease: a leaseMs of 0 by the holder ends the lease at once', async ({ state, equal }) => {
    const first = await fenceOf(state, 'quota', A);
    await state.lease('quota', { ...A, leaseMs: 0 });
    const second = await fenceOf(state, 'quota', B);
    equal(second > first, true, `the next holder gets a greater fence: ${second} after ${first}`);
    await state.lease('quota', { ...B, leaseMs: 0 });
    const third = await fenceOf(state, 'quota', B);
    equal(
      third > second,
      true,
      `after a release, the same holder gets a greater fence: ${third} after ${second}`,
    );
  }),

  rule('lease: a leaseMs of 0 by another holder does nothing', async ({ state, equal }) => {
    const fence = await fenceOf(state, 'quota', A);
    await state.lease('quota', { ...B, leaseMs: 0 });
    const refused = { granted: false, waitMs: 45_000 };
    equal(await state.lease('quota', B), refused, 'who does not have the lease cannot end it');
    equal(await fenceOf(state, 'quota', A), fence, 'and its fence does not change');
    await state.lease('never leased', { ...B, leaseMs: 0 });
    equal((await state.lease('never leased', A)).granted, true, 'a release without a lease does not take it');
    await state.lease('quota', { ...A, leaseMs: 0 });
    await state.lease('quota', { ...A, leaseMs: 0 });
    await state.lease('quota', { ...B, leaseMs: 0 });
    equal((await fenceOf(state, 'quota', B)) > fence, true, 'releases after the release change nothing');
  }),

  rule('lease: fences grow with each new holder', async ({ state, equal }) => {
    const fences: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const holder = `holder ${round % 3}`;
      fences.push(await fenceOf(state, 'quota', { holder, leaseMs: 1000 }));
      await state.lease('quota', { holder, leaseMs: 0 });
    }
    const isGreater = fences.every((fence, at) => at === 0 || fence > (fences[at - 1] ?? fence));
    equal(isGreater, true, `each fence is greater than the one before: ${fences.join(', ')}`);
  }),

  rule('lease: one of many that ask at the same time gets it', async ({ state, equal }) => {
    const holders = Array.from({ length: 20 }, (_, index) => `holder ${index}`);
    const ask = (holder: string) => state.lease('quota', { holder, leaseMs: 45_000 });
    const granted = (await Promise.all(holders.map(ask))).filter((lease) => lease.granted);
    equal(granted.length, 1, 'of 20 holders that ask at the same time, exactly one gets the lease');
  }),

  rule('reserve: with a lease, it acquires the lease in the same step', async ({ state, equal }) => {
    const slot = await slotOf(state, 'quota', { ...ONE, lease: A });
    equal(slot.fence, await fenceOf(state, 'quota', A), 'reserve returns the fence of the lease');
    const refused = { granted: false, waitMs: 45_000, reason: 'leased' };
    const request = { ...ONE, limit: 9, lease: B };
    equal(
      await state.reserve('quota', request),
      refused,
      'without the lease no slot is granted, and no fence',
    );
    const next = await slotOf(state, 'quota', { ...ONE, limit: 9, lease: A });
    equal(next.remaining, 7, 'a request that was refused for the lease has taken no slot');
    equal(next.fence, slot.fence, 'the fence stays the same while one holder renews by reserve');
  }),

  rule('reserve: it renews the lease, also if it grants no slot', async ({ state, equal }) => {
    const renewed = { granted: false, waitMs: 45_000 };
    const short = () => fenceOf(state, 'quota', { ...A, leaseMs: 5000 });
    const fence = await short();
    await slotOf(state, 'quota', { ...ONE, lease: A });
    equal(await state.lease('quota', B), renewed, 'reserve renews the lease when it grants a slot');
    await short();
    const noSlot = { granted: false, waitMs: 60_000, reason: 'quota', fence };
    equal(
      await state.reserve('quota', { ...ONE, lease: A }),
      noSlot,
      'a refusal for the quota has the fence',
    );
    equal(await state.lease('quota', B), renewed, 'reserve renews the lease when no slot is free');
    await short();
    await state.settle('quota', { shutMs: 30_000 });
    const shut = { granted: false, waitMs: 30_000, reason: 'shut', fence };
    equal(await state.reserve('quota', { ...ONE, lease: A }), shut, 'a refusal for a shut has the fence');
    equal(await state.lease('quota', B), renewed, 'reserve renews the lease while the key is shut');
  }),

  rule('reserve: a refusal for the lease does not change the lease', async ({ state, equal }) => {
    const fence = await fenceOf(state, 'quota', A);
    await state.reserve('quota', { ...ONE, lease: { holder: 'b', leaseMs: 90_000 } });
    equal(await fenceOf(state, 'quota', A), fence, 'the holder has the lease still, with the same fence');
    await state.lease('quota', { ...A, leaseMs: 0 });
    const slot = await slotOf(state, 'quota', { ...ONE, lease: B });
    equal((slot.fence ?? 0) > fence, true, 'reserve gives a new holder a greater fence');
  }),

  rule(
    'reserve: one of many that ask for the lease at the same time gets slots',
    async ({ state, equal }) => {
      const holders = Array.from({ length: 10 }, (_, index) => `holder ${index}`);
      const ask = (holder: string) =>
        state.reserve('quota', { limit: 20, holdMs: 60_000, lease: { holder, leaseMs: 45_000 } });
      const granted = (await Promise.all(holders.map(ask))).filter((result) => result.granted);
      equal(granted.length, 1, 'of 10 holders that reserve at the same time, exactly one gets a slot');
    },
  ),
];
