import { contractCase, thenClose } from '../state-contract/contract-case.js';
import { COMMIT_RULES } from './commit-rules.js';
import { EVENT_RULES } from './event-rules.js';
import { type OpenedInbox, Scene } from './scene.js';
import { VALUE_RULES } from './value-rules.js';

/** One case of `inboxContract`. */
export interface InboxContractCase {
  /** The rule, as a sentence. */
  readonly name: string;
  /**
   * Opens an inbox, checks the rule with a client and a mock hub, and closes the inbox.
   *
   * @throws an Error that says which rule is broken, what was expected and what was received.
   */
  run(): Promise<void>;
}

/**
 * The rules of an inbox, as cases for any test runner: for the `query` and `transaction` that an application passes to
 * `sqlInbox`. They run in virtual time, and are independent of each other.
 *
 * @example
 * ```ts
 * describe('my inbox', () => {
 *   for (const { name, run } of inboxContract(openInbox)) it(name, run);
 * });
 * ```
 *
 * @param open - resolves to `{ inbox, close }`: an inbox whose tables are made and empty, and what ends its connections.
 */
export function inboxContract(open: () => Promise<OpenedInbox> | OpenedInbox): InboxContractCase[] {
  return [...EVENT_RULES, ...COMMIT_RULES, ...VALUE_RULES].map(({ name, check }) => ({
    name,
    run: () =>
      contractCase(name, async () =>
        thenClose(await open(), (opened) =>
          thenClose(new Scene(opened), async (scene) => {
            // Without its tables, a poller would wait for them.
            await scene.inbox.stats();
            await check(scene);
            scene.equal(scene.mock.violations(), [], 'rules of the hub that were broken');
          }),
        ),
      ),
  }));
}
