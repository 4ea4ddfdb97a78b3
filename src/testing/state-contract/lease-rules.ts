import { atOnce, leased, leaseRefused, quota, shut } from './checked-state.js';
import { expiryRule, type Rule, rule, sharedRules } from './rule.js';

const A = { holder: 'a', leaseMs: 45_000 };
const B = { holder: 'b', leaseMs: 45_000 };
const ONE = { limit: 1, holdMs: 60_000 };
const NINE = { limit: 9, holdMs: 60_000 };

export const LEASE_RULES: readonly Rule[] = [
  rule('lease: it has one holder, who renews it; others are refused', async (state) => {
    const fence = await state.lease(A);
    await state.lease(A, { granted: true, fence });
    state.equal(
      Number.isSafeInteger(fence) && fence > 0,
      true,
      `a fence is a positive safe integer: ${fence}`,
    );
    state.equal(fence >= state.time.reachedAt(), true, `the first fence is at least the epoch ms: ${fence}`);
    await state.lease(B, leaseRefused(45_000));
    await state.lease({ ...A, holder: 'A' }, leaseRefused(45_000));
    await state.lease(B, true, 'other');
  }),

  rule('lease: a renewal ends leaseMs after it', async (state) => {
    for (const leaseMs of [10_000, 90_000, 20_000]) {
      await state.lease({ ...A, leaseMs });
      await state.lease(B, leaseRefused(leaseMs));
    }
  }),

  expiryRule(
    'lease: at its end, its holder keeps the fence, another gets a greater one',
    async (state, time) => {
      const short = { holder: 'a', leaseMs: time.shortMs };
      const fence = await state.lease(short);
      await time.passShort();
      await state.release('b');
      await state.lease(short, { granted: true, fence });
      await state.lease(B, false);
      await time.passShort();
      state.greater(await state.lease(B), fence);
      await state.lease(A, leaseRefused(45_000));
    },
  ),

  rule('lease: a leaseMs of 0 by another holder does nothing', async (state) => {
    const fence = await state.lease(A);
    await state.release('b');
    await state.lease(B, leaseRefused(45_000));
    await state.lease(A, { granted: true, fence });
    await state.release('b', 'never leased');
    await state.lease(A, true, 'never leased');
    for (const holder of ['a', 'a', 'b']) await state.release(holder);
    state.greater(await state.lease(B), fence);
  }),

  rule('lease: a leaseMs of 0 by the holder ends it; fences grow with each next lease', async (state) => {
    let last = 0;
    for (let round = 0; round < 20; round += 1) {
      const fence = await state.lease({ holder: `holder ${round % 3}`, leaseMs: 1000 });
      state.greater(fence, last);
      last = fence;
      await state.release(`holder ${round % 3}`);
    }
    state.greater(await state.lease({ ...A, holder: 'holder 1' }), last);
  }),

  ...sharedRules('lease: one of many that ask at the same time gets it', async (state, second) => {
    const leases = await atOnce(20, (at) =>
      (at % 2 ? state : second).tryLease({ holder: `holder ${at}`, leaseMs: 45_000 }),
    );
    state.equal(leases.filter(({ granted }) => granted).length, 1, 'leases of 20 holders at the same time');
  }),

  rule('reserve: with a lease, it acquires the lease in the same step', async (state) => {
    const { fence } = await state.reserve({ ...ONE, lease: A });
    await state.lease(A, { granted: true, fence });
    await state.reserve({ ...NINE, lease: B }, leased(45_000));
    // The refused request has taken no slot.
    const next = await state.reserve({ ...NINE, lease: A }, 7);
    state.equal(next.fence, fence, 'the fence of a lease that its holder renews by reserve');
  }),

  rule('reserve: it renews the lease, also if it grants no slot', async (state) => {
    const shorten = () => state.lease({ ...A, leaseMs: 5000 });
    const fence = await shorten();
    await state.reserve({ ...ONE, lease: A });
    await state.lease(B, leaseRefused(45_000));
    await shorten();
    await state.reserve({ ...ONE, lease: A }, { ...quota(60_000), fence });
    await state.lease(B, leaseRefused(45_000));
    await shorten();
    await state.settle({ shutMs: 30_000 });
    await state.reserve({ ...ONE, lease: A }, { ...shut(30_000), fence });
    await state.lease(B, leaseRefused(45_000));
  }),

  rule('reserve: a refusal for the lease does not change the lease', async (state) => {
    const fence = await state.lease(A);
    await state.reserve({ ...ONE, lease: { holder: 'b', leaseMs: 90_000 } }, false);
    await state.lease(A, { granted: true, fence });
    await state.release('a');
    const next = await state.reserve({ ...ONE, lease: B });
    state.greater(next.fence ?? 0, fence);
  }),

  rule('reserve: one of many that ask for the lease at the same time gets slots', async (state) => {
    const results = await atOnce(10, (at) =>
      state.tryReserve({ limit: 20, holdMs: 60_000, lease: { holder: `holder ${at}`, leaseMs: 45_000 } }),
    );
    state.equal(results.filter(({ granted }) => granted).length, 1, 'slots of 10 holders at the same time');
  }),
];
