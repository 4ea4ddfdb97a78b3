import * as timers from 'node:timers';

/** Bound at import, so that the fake timers of a test runner keep nobody waiting. */
const { setImmediate } = timers;

/** Resolves in the next turn of the event loop, after all promises of this one. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
