import { TimeoutError } from '../errors/index.js';
import { takeOrder, wakeWaiting } from './busy-orders.js';
import type { Engine } from './engine.js';
import { addToRunOnce } from './inbox/record.js';
import { countFailed } from './marks.js';
import { noteFailure, type Run } from './run.js';
import type { Store } from './store.js';

/** Its time is over. */
export function expire(run: Run): void {
  giveUp(run, new TimeoutError('listener', run.engine.options.listenerTimeoutMs), true);
}

/** Aborts the runs under way of an engine and stops waiting for them. */
export function giveUpRuns(engine: Engine, store: Store, reason: unknown): void {
  for (const run of store.runs ?? []) {
    if (run.engine === engine && !run.isGivenUp) giveUp(run, reason, false);
  }
  store.work?.sender?.abort(reason);
}

/** The run goes on, and nobody waits for it any longer. Until it settles, it blocks its order. */
export function leaveBehind(run: Run): void {
  const { engine, store, open } = run;
  if (!run.isLate && engine.options.ordering === 'per-order') takeOrder(store, open.event.orderId, true);
  run.isLate = true;
  wakeWaiting(store, open.event.orderId);
}

/** The run is left behind, and its event is reported as failed; it can run again when the run has settled. */
function giveUp(run: Run, reason: unknown, isReported: boolean): void {
  const { engine, store, open } = run;
  run.operation?.fail(reason);
  leaveBehind(run);
  run.abort(reason);
  engine.deadlines.delete(run);
  noteFailure(run, reason, isReported);
  // Another poller of the client may have an inbox.
  if (engine.inbox) addToRunOnce(store, open, reason);
  if (open.counted === 'behind') void countFailed(engine, store, open);
  run.onLate?.();
}

/** Whether a stop has nothing to wait for. */
export function isDrained(engine: Engine, store: Store): boolean {
  const { turn, runs, epoch, work, call, receiving, releasing } = store;
  let exempt = 0;
  for (const run of runs ?? []) {
    if (run.engine !== engine) continue;
    if (!run.isExempt) return false;
    exempt += 1;
  }
  if (call === 'receive' && receiving > exempt) return false;
  // `runOnce` and a push without `start` release the lease at their end; after `start`, the stop itself does.
  if (call !== 'start' && releasing) return false;
  // A lane writes what became of its events, and gives the others back.
  if (work && (work.sender || work.lanes > exempt)) return false;
  // Once a stop has come, a turn that handles events only settles what it has begun.
  return !turn || (turn.stage === 'handling' && turn.epoch !== epoch);
}
