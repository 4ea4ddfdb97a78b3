import type { State } from 'opendelivery-client';
import { type ManualClock, stateContract } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';

/** A test for each case of a contract. */
export function itHolds(cases: readonly { readonly name: string; run(): Promise<void> }[]): void {
  it.each(cases)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
}

/** Every case of the suite, for a state whose second object over the same storage `make` gives too. */
export function testContract(name: string, make: (clock: ManualClock) => State | Promise<State>): void {
  const open = async (clock: ManualClock) => {
    const state = await make(clock);
    return { state, reopen: async () => state, close: async () => {} };
  };
  describe(name, () => itHolds(stateContract(open)));
}
