import { attempt, handle, LONG_MS, seen } from './mark-rules.js';
import { expiryRule, type Rule, virtualTimeRule } from './trial.js';

/** `recall` gives marks their full lifetime again. */
export const RENEWAL_RULES: readonly Rule[] = [
  expiryRule(
    'recall: a mark gets its full lifetime again when less than three quarters are left',
    async (trial) => {
      const { state, time, equal } = trial;
      await handle(state, ['renewed', 'kept'], time.shortMs);
      await attempt(state, ['attempted', 'not renewed'], 1, time.shortMs);
      const lifetimes = { handledMs: LONG_MS, attemptedMs: LONG_MS };
      equal(await seen(state, ['renewed', 'attempted'], lifetimes), ['handled', 1], 'the marks are returned');
      await time.passShort();
      const ids = ['renewed', 'kept', 'attempted', 'not renewed'];
      equal(await seen(state, ids), ['handled', 0, 1, 0], 'only marks that were recalled are renewed');
    },
  ),

  virtualTimeRule(
    'recall: it renews handled events by handledMs, and attempts by attemptedMs',
    async (trial) => {
      const { state, time, equal } = trial;
      await handle(state, ['handled'], 100);
      await attempt(state, ['attempted'], 1, 100);
      const ids = ['handled', 'attempted', 'unknown'];
      equal(
        await seen(state, ids, { handledMs: 1000, attemptedMs: 4000 }),
        ['handled', 1, 0],
        'the marks are returned',
      );
      await time.pass(999);
      equal(
        await seen(state, ids),
        ['handled', 1, 0],
        'a handled event is there before handledMs has passed',
      );
      await time.pass(1);
      equal(await seen(state, ids), [0, 1, 0], 'a handled event is gone after handledMs');
      await time.pass(2999);
      equal(await seen(state, ids), [0, 1, 0], 'attempts are there before attemptedMs has passed');
      await time.pass(1);
      equal(await seen(state, ids), [0, 0, 0], 'attempts are gone after attemptedMs');
    },
  ),

  virtualTimeRule(
    'recall: it does not renew a mark while three quarters of its lifetime are left',
    async (trial) => {
      const { state, time, equal } = trial;
      await handle(state, ['early', 'late'], 1000);
      const lifetimes = { handledMs: 1000, attemptedMs: 1000 };
      await time.pass(250);
      await seen(state, ['early'], lifetimes);
      await time.pass(1);
      await seen(state, ['late'], lifetimes);
      await time.pass(749);
      equal(
        await seen(state, ['early', 'late']),
        [0, 'handled'],
        'it is renewed with 749 of 1000 ms left, and not with 750',
      );
      await time.pass(250);
      equal(
        await seen(state, ['late']),
        ['handled'],
        'a renewed mark is there before its lifetime has passed',
      );
      await time.pass(1);
      equal(await seen(state, ['late']), [0], 'a renewed mark is gone after its lifetime');
    },
  ),

  virtualTimeRule(
    'recall: a mark that is renewed again and again never expires',
    async ({ state, time, equal }) => {
      await handle(state, ['handled'], 1000);
      await attempt(state, ['attempted'], 1, 1000);
      for (let round = 0; round < 20; round += 1) {
        await time.pass(600);
        const marks = await seen(state, ['handled', 'attempted'], { handledMs: 1000, attemptedMs: 1000 });
        equal(marks, ['handled', 1], 'each recall renews both marks');
      }
    },
  ),
];
