import * as timers from 'node:timers/promises';

/** Bound at import, so that the fake timers of a test runner keep nobody waiting. */
const { setTimeout: pause } = timers;

/** Resolves after that time of the machine, for work in another process: no `Clock` knows how long it takes. */
export const realPause = (ms: number): Promise<void> => pause(ms);
