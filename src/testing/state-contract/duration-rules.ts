import type { Calls } from './calls.js';
import { attempt, handle, seen } from './mark-rules.js';
import { slotOf } from './quota-rules.js';
import { type Rule, rule, virtualTimeRule } from './trial.js';

const DAY_MS = 86_400_000;
const TEN_YEARS_MS = 3650 * DAY_MS;

const KINDS = ['value', 'slot', 'settled slot', 'shut', 'lease', 'handled', 'attempted', 'counted'];
const MARKED = ['handled', 'attempted', 'counted'];

/** Makes one entry of each kind. */
async function keepAll(state: Calls, forMs: number): Promise<void> {
  await state.set('value', 'value', { forMs });
  const lease = { holder: 'a', leaseMs: forMs };
  const { id } = await slotOf(state, 'quota', { limit: 1, holdMs: forMs, lease });
  await state.settle('settled', { id, freeInMs: forMs });
  await state.settle('shut', { shutMs: forMs });
  await handle(state, ['handled'], forMs);
  await attempt(state, ['attempted'], 1, forMs);
  const count = { ids: ['counted'], below: 1 };
  await seen(state, MARKED, { handledMs: forMs, attemptedMs: forMs, count });
}

/** The kinds of entries that have not expired. */
async function kept(state: Calls): Promise<string[]> {
  const isRefused = async (key: string) => !(await state.reserve(key, { limit: 1, holdMs: 1 })).granted;
  const isKept = [
    (await state.get('value')) !== undefined,
    await isRefused('quota'),
    await isRefused('settled'),
    await isRefused('shut'),
    !(await state.lease('quota', { holder: 'b', leaseMs: 1 })).granted,
    ...(await seen(state, MARKED)).map((mark) => mark !== 0),
  ];
  return KINDS.filter((_kind, at) => isKept[at]);
}

/** Fractions of milliseconds, and long durations. */
export const DURATION_RULES: readonly Rule[] = [
  rule('all methods: durations may have fractions', async ({ state, equal }) => {
    await keepAll(state, 60_000.25);
    equal(await kept(state), KINDS, 'entries of each kind are kept for 60000.25 ms');
  }),

  rule('all methods: durations may be months', async ({ state, equal }) => {
    // More milliseconds than 32 bits can count.
    await keepAll(state, 30 * DAY_MS);
    equal(await kept(state), KINDS, 'entries of each kind are kept for 30 days');
  }),

  virtualTimeRule('all methods: durations may be ten years', async ({ state, time, equal }) => {
    await keepAll(state, TEN_YEARS_MS);
    await time.pass(TEN_YEARS_MS - 1);
    equal(await kept(state), KINDS, 'entries of each kind are there 1 ms before ten years have passed');
  }),

  virtualTimeRule('all methods: fractions of a millisecond are rounded up', async (trial) => {
    const { state, time, equal } = trial;
    await keepAll(state, 999.25);
    await time.pass(999);
    equal(await kept(state), KINDS, 'entries for 999.25 ms are there after 999 ms');
    await time.pass(1);
    equal(await kept(state), [], 'entries for 999.25 ms are gone after 1000 ms');
  }),
];
