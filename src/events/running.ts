import { AsyncLocalStorage } from 'node:async_hooks';
import type { AnyListener } from './listeners.js';
import type { Run } from './run.js';

/** One for the process: Node makes every promise of the application slower for each storage. */
const current = new AsyncLocalStorage<Run>();

/** Asynchronous runs under way, of all clients of the process. */
let running = 0;

/** Calls the listener so that `callingRun` finds the run inside it, also after an await. */
export function inRun(run: Run, listener: AnyListener, subject: unknown): unknown {
  return current.run(run, listener as (...given: unknown[]) => unknown, subject, run.context);
}

/** An asynchronous run begins. */
export function beginRun(): void {
  running += 1;
}

/** An asynchronous run is over. */
export function endRun(): void {
  running -= 1;
}

/** Outside of listeners: until the next one is called, the storage costs the application nothing. */
export function rest(): void {
  if (running > 0) return;
  try {
    current.disable();
  } catch {
    // Workers do not implement it, and have no need of it.
  }
}

/** The run whose listener is calling, if the run is not over. */
export function callingRun(): Run | undefined {
  const run = current.getStore();
  return run?.isOver ? undefined : run;
}
