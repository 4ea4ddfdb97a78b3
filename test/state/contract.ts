import type { State } from 'opendelivery-client';
import { type ManualClock, stateContract } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';

/** Every case of the suite, for a state whose second object over the same storage `make` gives too. */
export function testContract(name: string, make: (clock: ManualClock) => State | Promise<State>): void {
  const open = async (clock: ManualClock) => {
    const state = await make(clock);
    return { state, reopen: async () => state, close: async () => {} };
  };
  describe(name, () => {
    for (const { name, run } of stateContract(open)) {
      it(name, async () => {
        await expect(run()).resolves.toBeUndefined();
      });
    }
  });
}
