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

const ruleThat = (needs?: 'expiry' | 'virtual time' | 'reopen') => (name: string, check: Rule['check']) => ({
  name,
  check,
  ...(needs && { needs }),
});

export const rule = ruleThat();
export const expiryRule = ruleThat('expiry');
export const virtualTimeRule = ruleThat('virtual time');
export const reopenRule = ruleThat('reopen');
