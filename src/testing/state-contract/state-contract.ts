import { ManualClock } from '../manual-clock.js';
import { CaseTime } from './case-time.js';
import { CheckedState, type OpenedState } from './checked-state.js';
import { CLOCK_RULES } from './clock-rules.js';
import { contractCase, thenClose } from './contract-case.js';
import { COUNT_RULES } from './count-rules.js';
import { LEASE_RULES } from './lease-rules.js';
import { MARK_RULES } from './mark-rules.js';
import { QUOTA_RULES } from './quota-rules.js';
import { REOPEN_RULES } from './reopen-rules.js';
import type { Rule } from './rule.js';
import { VALUE_RULES } from './value-rules.js';

const RULES: readonly Rule[] = [
  ...VALUE_RULES,
  ...QUOTA_RULES,
  ...LEASE_RULES,
  ...MARK_RULES,
  ...COUNT_RULES,
  ...CLOCK_RULES,
  ...REOPEN_RULES,
];

/** Makes an empty state for one case. An adapter whose database has a clock of its own ignores `clock`, or sets that clock by it. */
export type OpenState = (clock: ManualClock) => Promise<OpenedState> | OpenedState;

/** The short lifetimes of a case in real time: a pause of the machine can look like an early expiry, so a case that fails is repeated with longer ones. */
const REAL_SHORT_MS = [60, 240, 960];

const MINUTE_MS = 60_000;

const IN_REAL_TIME = '\n  (in real time: this state does not follow the clock that it gets)';

/** One case of `stateContract`. */
export interface StateContractCase {
  /** The method and its rule, as a sentence. */
  readonly name: string;
  /**
   * Opens a state, checks the rule, and closes the state.
   *
   * @throws an Error that says which rule is broken, what was expected and what was received.
   */
  run(): Promise<void>;
}

/**
 * The rules of `State`, as cases for any test runner. An adapter that passes all
 * of them can be the `state` of a client, a fleet or a worker.
 *
 * Each case calls `open`, which must make an empty state, and closes it at the
 * end. The cases are independent of each other: they may run in any order.
 *
 * The first case finds out how the adapter measures time. One that follows the
 * clock that `open` and every method get is tested in virtual time. Another one
 * is tested in real time: its cases wait for tens of milliseconds, a `waitMs` may
 * be smaller by the time that has passed, and cases about hours, exact
 * milliseconds and a clock that was set back check nothing. To test these too,
 * let `open` set the clock of the database by its argument. Cases with two states over
 * one storage check nothing if there is no `reopen`.
 *
 * @example
 * ```ts
 * describe('my state', () => {
 *   for (const { name, run } of stateContract(async () => ({ state: myState(), close: async () => {} }))) it(name, run);
 * });
 * ```
 *
 * @param open - makes an empty state; gets the clock of the case.
 */
export function stateContract(open: OpenState): StateContractCase[] {
  let detected: Promise<boolean> | undefined;
  return RULES.map((rule) => ({
    name: rule.name,
    run: async () => {
      let note = '';
      const run = async () => {
        detected ??= followsClock(open);
        const isVirtual = await detected.catch((error: unknown) => {
          // The next case tries again: a database may still be starting.
          detected = undefined;
          throw error;
        });
        if (!isVirtual) note = IN_REAL_TIME;
        await runRule(rule, open, isVirtual);
      };
      await contractCase(rule.name, run, () => note);
    },
  }));
}

async function runRule(rule: Rule, open: OpenState, isVirtual: boolean): Promise<void> {
  if (rule.needs === 'virtual time' && !isVirtual) return;
  const isRepeated = rule.needs === 'expiry' && !isVirtual;
  for (const [at, shortMs] of REAL_SHORT_MS.entries()) {
    try {
      return await withState(open, isVirtual, shortMs, async (state) => {
        if (rule.needs !== 'reopen' || state.hasReopen) await rule.check(state, state.time);
      });
    } catch (error) {
      if (!isRepeated || at === REAL_SHORT_MS.length - 1) throw error;
    }
  }
}

async function withState(
  open: OpenState,
  isVirtual: boolean,
  shortMs: number,
  use: (state: CheckedState) => Promise<void>,
): Promise<void> {
  const clock = new ManualClock();
  await thenClose(await open(clock), (opened) =>
    use(new CheckedState(opened, new CaseTime(clock, isVirtual, shortMs))),
  );
}

/** A value for a minute is gone at once if the state follows a clock that moves by an hour. */
async function followsClock(open: OpenState): Promise<boolean> {
  let isGone = false;
  await withState(open, true, 0, async (state) => {
    await state.set('time', 'kept for a minute', { forMs: MINUTE_MS });
    await state.get('time', 'kept for a minute');
    await state.time.clock.advance(60 * MINUTE_MS);
    isGone = (await state.tryGet('time')) === undefined;
  });
  return isGone;
}
