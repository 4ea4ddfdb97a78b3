import { atOnce, leased, quota, shut } from './checked-state.js';
import { expiryRule, type Rule, rule, sharedRules, virtualTimeRule } from './rule.js';

const ONE = { limit: 1, holdMs: 90_000 };
const TWO = { limit: 2, holdMs: 90_000 };
const SOONER = { limit: 2, holdMs: 60_000 };

export const QUOTA_RULES: readonly Rule[] = [
  rule('reserve: it grants slots up to the limit; a refused request takes none', async (state) => {
    const { id, fence } = await state.reserve(TWO, 1);
    state.equal(
      [typeof id, fence],
      ['string', undefined],
      'the type of the id, and the fence without a lease',
    );
    await state.reserve(SOONER, 0);
    for (let again = 0; again < 3; again += 1) await state.reserve(TWO, quota(60_000));
    await state.reserve(TWO, 1, 'other');
    await state.settle({ id, freeInMs: 0 });
    await state.reserve(TWO, 0);
  }),

  ...sharedRules('reserve: requests at the same time never exceed the limit', async (state, second) => {
    const request = { limit: 3, holdMs: 90_000 };
    const results = await atOnce(20, (at) => (at % 2 ? state : second).tryReserve(request));
    const ids = results.flatMap((result) => (result.granted ? [result.id] : []));
    state.equal(ids.length, 3, 'slots that 20 requests at the same time were granted with a limit of 3');
    state.equal(new Set(ids).size, 3, 'different ids of these slots');
  }),

  ...sharedRules('reserve: an id is never used again', async (state, second) => {
    const ids = new Set<string>();
    for (let round = 1; round <= 30; round += 1) {
      const next = round % 2 ? state : second;
      const { id } = await next.reserve(ONE);
      state.equal(ids.add(id).size, round, `different ids of ${round} slots`);
      await next.settle({ id, freeInMs: 0 });
    }
  }),

  rule('reserve: each request has its own limit', async (state) => {
    await state.reserve(ONE, 0);
    await state.reserve(ONE, quota(90_000));
    await state.reserve(TWO, 0);
    await state.reserve(ONE, false);
    await state.reserve({ ...TWO, limit: 10 }, 7);
  }),

  rule('settle: freeInMs replaces the instant at which the slot frees', async (state) => {
    const { id } = await state.reserve(ONE, 0);
    for (const freeInMs of [60_000, 120_000, 30_000]) {
      await state.settle({ id, freeInMs });
      await state.reserve(ONE, quota(freeInMs));
    }
    // A slot that was settled three times is still one slot.
    await state.reserve(TWO, 0);
  }),

  rule('settle: freeInMs of 0 or less frees the slot at once, and only this one', async (state) => {
    for (const freeInMs of [0, -1]) {
      const first = await state.reserve(TWO, 1);
      const second = await state.reserve(SOONER, 0);
      await state.settle({ id: first.id, freeInMs }, 'another key');
      await state.reserve(TWO, false);
      await state.settle({ id: first.id, freeInMs });
      const third = await state.reserve(TWO, 0);
      await state.reserve(TWO, quota(60_000));
      for (const { id } of [second, third]) await state.settle({ id, freeInMs });
    }
  }),

  rule('settle: a slot that the state does not know is taken again', async (state) => {
    await state.settle({ id: 'unknown', freeInMs: 0 });
    await state.settle({ id: 'unknown too', freeInMs: -1 });
    const known = await state.reserve(TWO, 1);
    await state.settle({ id: 'lost', freeInMs: 60_000 });
    await state.reserve(TWO, quota(60_000));
    // Also if no slot is free.
    await state.settle({ id: 'lost too', freeInMs: 30_000 });
    await state.settle({ id: known.id, freeInMs: 0 });
    await state.reserve(TWO, quota(30_000));
    await state.settle({ id: 'lost', freeInMs: 0 });
    await state.reserve(TWO, 0);
  }),

  expiryRule('settle: a slot that has expired is taken again', async (state, time) => {
    const { id } = await state.reserve({ limit: 1, holdMs: time.shortMs }, 0);
    await time.passShort();
    await state.settle({ id, freeInMs: 60_000 });
    await state.reserve(ONE, quota(60_000));
  }),

  rule('settle: calls at the same time change every slot', async (state) => {
    await atOnce(10, (at) => state.settle({ id: `slot ${at}`, freeInMs: 60_000 }));
    await state.reserve({ ...ONE, limit: 10 }, false);
    await atOnce(10, (at) => state.settle({ id: `slot ${at}`, freeInMs: 0 }));
    await state.reserve(ONE, 0);
  }),

  virtualTimeRule('reserve: the slots are a sliding window', async (state) => {
    // With windows that begin at the minute or at the first request, 61 would be granted too.
    const seconds = [0, 50, 60, 61, 109, 110, 111, 119, 120, 121, 169, 170, 171];
    const granted = [0, 50, 60, 110, 120, 170];
    for (const [at, second] of seconds.entries()) {
      await state.time.clock.advance((second - (seconds[at - 1] ?? 0)) * 1000);
      const { id } = await state.reserve(TWO, granted.includes(second));
      if (id !== '') await state.settle({ id, freeInMs: 60_000 });
    }
  }),

  virtualTimeRule('reserve: waitMs is exact', async (state, time) => {
    const { id } = await state.reserve(TWO, 1);
    await time.clock.advance(10_000);
    await state.reserve(TWO, 0);
    await state.settle({ id, freeInMs: 60_000 });
    await time.clock.advance(59_999);
    await state.reserve(TWO, quota(1));
    await time.clock.advance(1);
    await state.reserve(TWO, 0);
    await state.reserve(TWO, quota(30_000));
  }),

  rule('settle: shutMs makes reserve refuse every request of the key', async (state) => {
    await state.settle({ shutMs: 30_000 });
    await state.reserve(TWO, shut(30_000));
    await state.reserve({ ...TWO, limit: 100 }, shut(30_000));
    await state.reserve(TWO, true, 'other');
  }),

  rule('settle: of two shuts, the one that ends later remains; 0 or less shuts nothing', async (state) => {
    for (const shutMs of [0, -1000]) await state.settle({ shutMs });
    await state.reserve(TWO, 1);
    await state.settle({ shutMs: 50_000 });
    await state.settle({ shutMs: 10_000 });
    await state.reserve(ONE, shut(50_000));
    await state.settle({ shutMs: 70_000 });
    await state.reserve(ONE, shut(70_000));
    for (const shutMs of [0, -1, undefined]) await state.settle({ shutMs });
    await state.reserve(ONE, shut(70_000));
  }),

  expiryRule('settle: a shut frees no slot, and takes none', async (state, time) => {
    await state.reserve(TWO, 1);
    await state.settle({ shutMs: time.shortMs });
    await state.reserve(TWO, false);
    await time.passShort();
    await state.reserve(TWO, 0);
    const refused = await state.tryReserve(TWO);
    state.equal('reason' in refused && refused.reason, 'quota', 'why reserve refuses after the shut');
  }),

  rule('settle: one call can settle a slot and shut the key', async (state) => {
    const { id } = await state.reserve(ONE, 0);
    await state.settle({ id, freeInMs: 60_000, shutMs: 30_000 });
    await state.reserve(ONE, shut(30_000));
    await state.settle({ id: 'unknown', freeInMs: 60_000, shutMs: 0 }, 'open');
    await state.reserve(ONE, quota(60_000), 'open');
    await state.settle({ id: 'unknown', freeInMs: 0, shutMs: 30_000 }, 'shut');
    await state.reserve(ONE, shut(30_000), 'shut');
  }),

  expiryRule('settle: the slot of a call that also shuts is settled', async (state, time) => {
    const { id } = await state.reserve(TWO, 1);
    await state.settle({ id, freeInMs: 0, shutMs: time.shortMs });
    await state.settle({ id: 'lost', freeInMs: 60_000, shutMs: time.shortMs });
    await time.passShort();
    await state.reserve(TWO, 0);
    await state.reserve(TWO, quota(60_000 - time.shortMs));
  }),

  rule('reserve: it checks first the lease, then the shut, then the slots', async (state) => {
    const [a, b] = ['a', 'b'].map((holder) => ({ ...ONE, lease: { holder, leaseMs: 45_000 } }));
    await state.reserve(a as typeof ONE, 0);
    await state.reserve(ONE, quota(90_000));
    await state.settle({ shutMs: 30_000 });
    await state.reserve(ONE, shut(30_000));
    await state.reserve(b as typeof ONE, leased(45_000));
  }),
];
