import { type CheckedState, leased, leaseRefused, quota, shut } from './checked-state.js';
import { expiryRule, type Rule, rule, virtualTimeRule } from './rule.js';

const ONE = { limit: 1, holdMs: 90_000 };
const TWO = { limit: 2, holdMs: 90_000 };
const A = { holder: 'a', leaseMs: 45_000 };
const B = { holder: 'b', leaseMs: 60_000 };

const DAY_MS = 86_400_000;
const TEN_YEARS_MS = 3650 * DAY_MS;

const KINDS = ['value', 'slot', 'settled slot', 'shut', 'lease', 'handled', 'attempted', 'counted'];
const MARKED = ['handled', 'attempted', 'counted'];

async function keepAll(state: CheckedState, forMs: number): Promise<void> {
  await state.set('value', 'value', { forMs });
  const { id } = await state.reserve({ limit: 1, holdMs: forMs, lease: { holder: 'a', leaseMs: forMs } });
  await state.settle({ id, freeInMs: forMs }, 'settled');
  await state.settle({ shutMs: forMs }, 'shut');
  await state.handle(['handled'], forMs);
  await state.attempt(['attempted'], 1, forMs);
  const count = { ids: ['counted'], below: 1 };
  await state.tryRecall(MARKED, { handledMs: forMs, attemptedMs: forMs, count });
}

/** Checks that the entries of all kinds are there, or that all have expired. */
async function expectKinds(state: CheckedState, expected: readonly string[]): Promise<void> {
  const isRefused = async (key: string) => !(await state.tryReserve({ limit: 1, holdMs: 1 }, key)).granted;
  const isKept = [
    (await state.tryGet('value')) !== undefined,
    await isRefused('quota'),
    await isRefused('settled'),
    await isRefused('shut'),
    !(await state.tryLease({ holder: 'b', leaseMs: 1 })).granted,
    ...(await state.tryRecall(MARKED)).map((mark) => mark !== 0),
  ];
  const kept = KINDS.filter((_kind, at) => isKept[at]);
  state.equal(kept, expected, 'the entries that are there');
}

/** When entries end, fractions of milliseconds, long durations, and a clock that is set back by an hour. */
export const CLOCK_RULES: readonly Rule[] = [
  expiryRule(
    'all methods: what is kept ends when its duration has passed, and not before',
    async (state, time) => {
      await keepAll(state, time.shortMs);
      await time.passMostOfShort();
      await expectKinds(state, KINDS);
      await time.passRestOfShort();
      await expectKinds(state, []);
    },
  ),

  rule('all methods: durations may have fractions', async (state) => {
    await keepAll(state, 60_000.25);
    await expectKinds(state, KINDS);
  }),

  rule('all methods: durations may be months', async (state) => {
    // More milliseconds than 32 bits can count.
    await keepAll(state, 30 * DAY_MS);
    await expectKinds(state, KINDS);
  }),

  virtualTimeRule('all methods: durations may be ten years', async (state) => {
    await keepAll(state, TEN_YEARS_MS);
    await state.time.clock.advance(TEN_YEARS_MS - 1);
    await expectKinds(state, KINDS);
  }),

  virtualTimeRule('all methods: fractions of a millisecond are rounded up', async (state) => {
    await keepAll(state, 999.25);
    await state.time.clock.advance(999);
    await expectKinds(state, KINDS);
    await state.time.clock.advance(1);
    await expectKinds(state, []);
  }),

  virtualTimeRule('lease: a clock that is set back keeps no lease for longer', async (state, time) => {
    await state.lease(A);
    time.setBackAnHour();
    await state.lease(B, leaseRefused(45_000));
    await state.reserve({ ...TWO, lease: B }, leased(45_000));
    await time.clock.advance(44_999);
    await state.lease(B, leaseRefused(1));
    await time.clock.advance(1);
    await state.lease(B);
  }),

  virtualTimeRule('lease: fences grow, also if the clock is set back', async (state) => {
    const first = await state.lease(A);
    await state.release('a');
    state.time.setBackAnHour();
    const second = await state.lease(B);
    state.greater(second, first);
    await state.time.clock.advance(60_000);
    state.greater(await state.lease(A), second);
  }),

  virtualTimeRule('reserve: a clock that is set back keeps no slot taken for longer', async (state) => {
    const { id } = await state.reserve(TWO, 1);
    await state.reserve(TWO, 0);
    await state.settle({ id, freeInMs: 60_000 });
    state.time.setBackAnHour();
    const refused = { reason: 'shut', waitMs: 0, ...(await state.tryReserve(TWO)) };
    state.equal(refused.reason, 'quota', 'why reserve refuses');
    state.equal(refused.waitMs <= 90_000, true, `no slot is taken for longer than 90 s: ${refused.waitMs}`);
    await state.time.clock.advance(90_000);
    await state.reserve(TWO, 1);
  }),

  virtualTimeRule('reserve: a clock that is set back frees no slot earlier', async (state) => {
    await state.reserve({ limit: 1, holdMs: 180_000 }, 0);
    state.time.setBackAnHour();
    // Its own duration counts, not that of the next request.
    await state.reserve(ONE, quota(180_000));
    await state.time.clock.advance(179_999);
    await state.reserve(ONE, quota(1));
    await state.time.clock.advance(1);
    await state.reserve(ONE, 0);
  }),

  virtualTimeRule('settle: a clock that is set back keeps no key shut for longer', async (state) => {
    await state.settle({ shutMs: 60_000 });
    await state.settle({ shutMs: 120_000 });
    state.time.setBackAnHour();
    await state.reserve(TWO, shut(120_000));
    await state.time.clock.advance(30_000);
    await state.settle({ shutMs: 60_000 });
    await state.reserve(TWO, shut(90_000));
    await state.time.clock.advance(90_000);
    await state.reserve(TWO, 1);
  }),

  virtualTimeRule('settle: a shut counts, however long an earlier one seems to last', async (state) => {
    await state.settle({ shutMs: 1000 });
    state.time.setBackAnHour();
    await state.settle({ shutMs: 120_000 });
    await state.reserve(TWO, shut(120_000));
  }),

  virtualTimeRule('get and recall: a clock that is set back loses nothing', async (state) => {
    await state.set('key', 'value', { forMs: 1000 });
    await state.handle(['handled'], 1000);
    await state.attempt(['attempted'], 1, 1000);
    state.time.setBackAnHour();
    await state.time.clock.advance(999);
    await state.get('key', 'value');
    await state.recall(['handled', 'attempted'], ['handled', 1]);
  }),
];
