import { vi } from 'vitest';

/** How often `work` begins to walk through a set: from its front, past the places of all elements that were deleted. */
export function iteratorsStarted(work: () => void): number {
  // `values` and the iterator of a set are one function, which is found under either name.
  const spies = (['values', Symbol.iterator] as const).map((name) => vi.spyOn(Set.prototype, name));
  try {
    work();
    return spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
