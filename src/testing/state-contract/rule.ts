import type { CaseTime } from './case-time.js';
import type { CheckedState } from './checked-state.js';

export interface Rule {
  readonly name: string;
  /**
   * - `expiry`: something expires after `time.shortMs`. In real time, the case
   *   is repeated with longer durations if it fails.
   * - `virtual time`: it moves hours, exact milliseconds, or sets the clock back.
   * - `reopen`: it uses two states over one storage.
   */
  readonly needs?: 'expiry' | 'virtual time' | 'reopen';
  /** @throws an Error with a call of the state, the expected result and the received one. */
  check(state: CheckedState, time: CaseTime): Promise<void>;
}

const ruleThat =
  (needs?: Rule['needs']) =>
  (name: string, check: Rule['check']): Rule => ({ name, check, ...(needs && { needs }) });

export const rule = ruleThat();
export const expiryRule = ruleThat('expiry');
export const virtualTimeRule = ruleThat('virtual time');
export const reopenRule = ruleThat('reopen');

/** A rule twice: for two callers of one state, and for two states over one storage. */
export const sharedRules = (
  name: string,
  check: (one: CheckedState, other: CheckedState) => Promise<void>,
): readonly Rule[] => [
  rule(name, (state) => check(state, state)),
  reopenRule(`two states: ${name}`, async (state) => check(state, await state.reopen())),
];
