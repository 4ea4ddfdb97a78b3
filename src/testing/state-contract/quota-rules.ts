import type { ReservationRequest } from '../../state/reservation.js';
import type { Calls } from './calls.js';
import { expiryRule, type Rule, rule, type Trial, virtualTimeRule } from './trial.js';

const TWO = { limit: 2, holdMs: 90_000 };
const ONE = { limit: 1, holdMs: 90_000 };

/** Reserves a slot, which must be granted. */
export async function slotOf(state: Calls, key: string, request: ReservationRequest) {
  const result = await state.reserve(key, request);
  if (result.granted) return result;
  throw new Error(
    `reserve must grant a slot while fewer than ${request.limit} are taken\n  received: ${JSON.stringify(result)}`,
  );
}

/** Checks that a slot is granted, and how many are left then. */
export async function expectGranted(
  { state, equal }: Pick<Trial, 'state' | 'equal'>,
  request: ReservationRequest,
  remaining: number,
  sentence: string,
): Promise<string> {
  const result = await state.reserve('quota', request);
  const seen = result.granted ? { granted: true, remaining: result.remaining } : result;
  equal(seen, { granted: true, remaining }, sentence);
  return result.granted ? result.id : '';
}

export const QUOTA_RULES: readonly Rule[] = [
  rule('reserve: it grants slots up to the limit, and then refuses', async (trial) => {
    const { state, equal } = trial;
    await expectGranted(trial, TWO, 1, 'the first of two slots is granted, and one remains');
    await expectGranted(trial, { ...TWO, holdMs: 60_000 }, 0, 'the last slot is granted, and none remains');
    for (let again = 0; again < 3; again += 1) {
      const refused = await state.reserve('quota', TWO);
      const expected = { granted: false, waitMs: 60_000, reason: 'quota' };
      equal(refused, expected, 'reserve refuses until the slot that frees first');
    }
    const other = await slotOf(state, 'other', TWO);
    equal(other.remaining, 1, 'another key has its own slots');
    equal(typeof other.id, 'string', 'the id of a slot is a string');
    equal(other.fence, undefined, 'without a lease in the request, there is no fence');
  }),

  rule('reserve: a refused request takes no slot', async (trial) => {
    const { state } = trial;
    const id = await expectGranted(trial, ONE, 0, 'the only slot is granted');
    for (let refused = 0; refused < 3; refused += 1) await state.reserve('quota', ONE);
    await state.settle('quota', { id, freeInMs: 0 });
    await expectGranted(trial, ONE, 0, 'requests that were refused have taken no slot');
  }),

  rule('reserve: requests at the same time never exceed the limit', async ({ state, equal }) => {
    const request = { limit: 3, holdMs: 90_000 };
    const results = await Promise.all(Array.from({ length: 20 }, () => state.reserve('quota', request)));
    const ids = results.flatMap((result) => (result.granted ? [result.id] : []));
    equal(ids.length, 3, 'of 20 requests at the same time, exactly the limit of 3 is granted');
    equal(new Set(ids).size, 3, 'each slot has an id of its own');
  }),

  rule('reserve: an id is never used again', async ({ state, equal }) => {
    const ids = new Set<string>();
    for (let round = 1; round <= 30; round += 1) {
      const { id } = await slotOf(state, 'quota', ONE);
      ids.add(id);
      equal(ids.size, round, 'a new slot has an id that no earlier slot had, also if that is free again');
      await state.settle('quota', { id, freeInMs: 0 });
    }
  }),

  rule('reserve: each request has its own limit', async (trial) => {
    const { state, equal } = trial;
    const refused = { granted: false, waitMs: 90_000, reason: 'quota' };
    await expectGranted(trial, ONE, 0, 'a limit of 1 grants one slot');
    equal(await state.reserve('quota', ONE), refused, 'a limit of 1 grants no second slot');
    await expectGranted(trial, TWO, 0, 'a limit of 2 grants a second slot of the same key');
    equal((await state.reserve('quota', ONE)).granted, false, 'more slots than the limit can be taken');
    await expectGranted(
      trial,
      { ...TWO, limit: 10 },
      7,
      'remaining is counted under the limit of the request',
    );
  }),

  expiryRule('reserve: a slot that is never settled frees after holdMs, and not before', async (trial) => {
    const { state, time, equal } = trial;
    const request = { limit: 1, holdMs: time.shortMs };
    await expectGranted(trial, request, 0, 'the only slot is granted');
    await time.passMostOfShort();
    equal(
      (await state.reserve('quota', request)).granted,
      false,
      'the slot is taken before holdMs has passed',
    );
    await time.passRestOfShort();
    await expectGranted(trial, request, 0, 'the slot is free as soon as holdMs has passed');
  }),

  rule('settle: freeInMs replaces the instant at which the slot frees', async (trial) => {
    const { state, equal } = trial;
    const id = await expectGranted(trial, ONE, 0, 'the only slot is granted');
    for (const freeInMs of [60_000, 120_000, 30_000]) {
      await state.settle('quota', { id, freeInMs });
      const expected = { granted: false, waitMs: freeInMs, reason: 'quota' };
      equal(await state.reserve('quota', ONE), expected, `the slot frees ${freeInMs} ms after settle`);
    }
    await expectGranted(trial, TWO, 0, 'a slot that was settled three times is still one slot');
  }),

  expiryRule('settle: the slot frees as soon as freeInMs has passed, and not before', async (trial) => {
    const { state, time, equal } = trial;
    const id = await expectGranted(trial, ONE, 0, 'the only slot is granted');
    await state.settle('quota', { id, freeInMs: time.shortMs });
    await time.passMostOfShort();
    equal((await state.reserve('quota', ONE)).granted, false, 'the slot is taken before freeInMs has passed');
    await time.passRestOfShort();
    await expectGranted(trial, ONE, 0, 'the slot is free as soon as freeInMs has passed');
  }),

  rule('settle: freeInMs of 0 or less frees the slot at once, and only this one', async (trial) => {
    const { state, equal } = trial;
    for (const freeInMs of [0, -1]) {
      const first = await expectGranted(trial, TWO, 1, 'the first slot is granted');
      const second = await expectGranted(trial, { ...TWO, holdMs: 60_000 }, 0, 'the second slot is granted');
      await state.settle('another key', { id: first, freeInMs });
      equal((await state.reserve('quota', TWO)).granted, false, 'settle does not change another key');
      await state.settle('quota', { id: first, freeInMs });
      const third = await expectGranted(
        trial,
        TWO,
        0,
        `settle with freeInMs ${freeInMs} frees one slot at once`,
      );
      const refused = { granted: false, waitMs: 60_000, reason: 'quota' };
      equal(await state.reserve('quota', TWO), refused, 'the other slot stays taken');
      for (const id of [second, third]) await state.settle('quota', { id, freeInMs });
    }
  }),

  rule('settle: a slot that the state does not know is taken again', async (trial) => {
    const { state, equal } = trial;
    await state.settle('quota', { id: 'unknown', freeInMs: 0 });
    await state.settle('quota', { id: 'unknown too', freeInMs: -1 });
    const known = await expectGranted(trial, TWO, 1, 'an unknown id with freeInMs 0 takes no slot');
    await state.settle('quota', { id: 'lost', freeInMs: 60_000 });
    const refused = { granted: false, waitMs: 60_000, reason: 'quota' };
    equal(await state.reserve('quota', TWO), refused, 'an unknown id with freeInMs 60 000 takes a slot');
    await state.settle('quota', { id: 'lost too', freeInMs: 30_000 });
    await state.settle('quota', { id: known, freeInMs: 0 });
    equal(
      await state.reserve('quota', TWO),
      { ...refused, waitMs: 30_000 },
      'unknown ids take slots, also if none is free',
    );
    await state.settle('quota', { id: 'lost', freeInMs: 0 });
    await expectGranted(trial, TWO, 0, 'a slot that was taken again is settled like any other');
  }),

  expiryRule('settle: a slot that has expired is taken again', async (trial) => {
    const { state, time, equal } = trial;
    const late = await expectGranted(
      trial,
      { limit: 1, holdMs: time.shortMs },
      0,
      'the only slot is granted',
    );
    await time.passShort();
    await state.settle('quota', { id: late, freeInMs: 60_000 });
    const refused = { granted: false, waitMs: 60_000, reason: 'quota' };
    equal(await state.reserve('quota', ONE), refused, 'settle takes a slot again that had expired');
  }),

  rule('settle: calls at the same time change every slot', async ({ state, equal }) => {
    const ids = Array.from({ length: 10 }, (_, index) => `slot ${index}`);
    const settleAll = (freeInMs: number) =>
      Promise.all(ids.map((id) => state.settle('quota', { id, freeInMs })));
    await settleAll(60_000);
    equal((await state.reserve('quota', { ...ONE, limit: 10 })).granted, false, 'ten slots are taken');
    await settleAll(0);
    equal((await slotOf(state, 'quota', ONE)).remaining, 0, 'all ten slots are free');
  }),

  virtualTimeRule('reserve: the slots are a sliding window', async ({ state, time, equal }) => {
    const grants: number[] = [];
    // With windows that begin at the minute or at the first request, 61 would be granted too.
    const seconds = [0, 50, 60, 61, 109, 110, 111, 119, 120, 121, 169, 170, 171];
    for (const [at, second] of seconds.entries()) {
      await time.pass((second - (seconds[at - 1] ?? 0)) * 1000);
      const result = await state.reserve('quota', TWO);
      if (!result.granted) continue;
      grants.push(second);
      await state.settle('quota', { id: result.id, freeInMs: 60_000 });
    }
    const expected = [0, 50, 60, 110, 120, 170];
    equal(grants, expected, 'there are at most two slots in any 60 s, and they are granted at these seconds');
  }),

  virtualTimeRule('reserve: waitMs is exact', async (trial) => {
    const { state, time, equal } = trial;
    const first = await expectGranted(trial, TWO, 1, 'the first slot is granted');
    await time.pass(10_000);
    await expectGranted(trial, TWO, 0, 'the second slot is granted');
    await state.settle('quota', { id: first, freeInMs: 60_000 });
    await time.pass(59_999);
    const refused = { granted: false, waitMs: 1, reason: 'quota' };
    equal(await state.reserve('quota', TWO), refused, '1 ms before the slot frees, waitMs is 1');
    await time.pass(1);
    await expectGranted(trial, TWO, 0, 'the slot is granted again after waitMs');
    const next = { ...refused, waitMs: 30_000 };
    equal(await state.reserve('quota', TWO), next, 'waitMs is the time until the second slot frees');
  }),
];
