import type { State } from '../../state/port.js';
import type { ManualClock } from '../manual-clock.js';
import { type Calls, callsOf } from './calls.js';
import type { CaseTime } from './case-time.js';
import { difference, isSame } from './compare.js';

/** An adapter that `open` has made for one case of `stateContract`. */
export interface OpenedState {
  /** The state under test, without any content. */
  readonly state: State;
  /** Makes another State over the same storage, as a second process does. Both are used from then on. Absent: the cases with two states check nothing. */
  reopen?(): Promise<State>;
  /** Closes everything that was opened; it is called at the end of the case, also after a failure. */
  close(): Promise<void>;
}

/** Makes an empty state for one case. An adapter whose database has a clock of its own ignores `clock`, or sets that clock by it. */
export type OpenState = (clock: ManualClock) => Promise<OpenedState> | OpenedState;

/** What one case checks. */
export interface Rule {
  readonly name: string;
  /**
   * - `expiry`: something expires after `time.shortMs`. In real time, the case
   *   is repeated with longer durations if it fails.
   * - `virtual time`: it moves hours, exact milliseconds, or sets the clock back.
   * - `reopen`: it uses two states over one storage.
   */
  readonly needs?: 'expiry' | 'virtual time' | 'reopen';
  check(trial: Trial): Promise<void>;
}

/** One run of a case. */
export interface Trial {
  readonly state: Calls;
  readonly time: CaseTime;
  /** Another State over the same storage. Only a rule that needs `reopen` calls it. */
  reopen(): Promise<Calls>;
  /**
   * Compares deeply. In real time, a `waitMs` may be smaller by the time that has passed.
   *
   * @param rule - what the adapter must do, as a sentence.
   * @throws an Error with the rule, the expected value and the received one.
   */
  equal(actual: unknown, expected: unknown, rule: string): void;
}

/** A rule of any state. */
export const rule = (name: string, check: Rule['check']): Rule => ({ name, check });
export const expiryRule = (name: string, check: Rule['check']): Rule => ({ name, needs: 'expiry', check });
export const virtualTimeRule = (name: string, check: Rule['check']): Rule => ({
  name,
  needs: 'virtual time',
  check,
});
export const reopenRule = (name: string, check: Rule['check']): Rule => ({ name, needs: 'reopen', check });

/** Checks a rule with an opened state. One that needs two states over a storage checks nothing if there is no `reopen`. */
export async function tryRule(rule: Rule, opened: OpenedState, time: CaseTime): Promise<void> {
  if (rule.needs === 'reopen' && !opened.reopen) return;
  await rule.check({
    state: callsOf(opened.state, time.clock),
    time,
    reopen: async () => callsOf((await opened.reopen?.()) as State, time.clock),
    equal: (actual, expected, sentence) => {
      if (isSame(actual, expected, time.slackMs())) return;
      throw new Error(`${sentence}\n${difference(actual, expected)}`);
    },
  });
}
