import { type Engine, reportError } from '../engine.js';
import { acquireLease, hasLease } from '../lease.js';
import { Run } from '../run.js';
import { type Store, when } from '../store.js';
import { sendCommands } from './commands.js';
import { openEventOf, startLane } from './lanes.js';
import { forgetWork, inTables, type Work, workOf } from './record.js';
import { InboxSettler, type Term } from './settle.js';

/**
 * Handles what is due in the inbox: events, `concurrency` orders at a time, and then commands. It never rejects; when
 * it resolves, nothing is due any more, or others go on with it.
 *
 * @returns false if it could not: another process has the lease, or the database is away.
 * @see runListeners, which does the same for events that are not stored.
 */
export async function workOn(engine: Engine, store: Store): Promise<boolean> {
  const work = workOf(store);
  work.isWoken = true;
  try {
    if (!mayWork(engine, store) || (await acquireLease(engine, store)) > 0) {
      work.isWoken = false;
      return false;
    }
    const { epoch, lease } = store;
    const { clock } = engine.services;
    const isCurrent = () =>
      store.epoch === epoch && hasLease(store, clock, lease?.fence ?? 0) && mayWork(engine, store);
    const settler = new InboxSettler(engine, store, work);
    if (work.owner !== settler.owner) {
      // Claims of an earlier lease: the process that has the lease claims them again.
      for (const open of work.backlog.splice(0).flat()) work.held.delete(open.key);
      work.owner = settler.owner;
      work.queues = new Map();
      // Another process may have handled it meanwhile.
      work.lastFailed = undefined;
    }
    await writeAgain(work);
    const term: Term = { engine, store, work, settler, polledAt: clock.monotonic(), isCurrent };
    if (work.deadLetteredFor !== settler.owner) await deadLetterInterrupted(term);
    await Promise.all([startLane(term), sendCommands(term)]);
    return true;
  } catch (error) {
    reportError(engine, store, error);
    return false;
  } finally {
    forgetWork(store);
  }
}

/**
 * Events whose process has ended in their last attempt become dead, before any event is claimed with this lease: what
 * kills each process that handles it would be claimed again and again.
 */
async function deadLetterInterrupted(term: Term): Promise<void> {
  const { engine, store, settler, work } = term;
  const { maxAttempts } = engine.options;
  if (maxAttempts !== Number.POSITIVE_INFINITY) {
    const dead = await inTables(engine, store, (tables, key, now) =>
      tables.deadLetterInterrupted(key, { owner: settler.owner, maxAttempts, now }),
    );
    for (const each of dead) {
      const open = openEventOf(each, engine.services.clock.monotonic());
      open.attempts = each.attempts;
      open.error = new Error('the process ended while its listener ran');
      settler.callDeadLetter(new Run(term, open, true));
      reportError(engine, store, open.error);
    }
  }
  work.deadLetteredFor = settler.owner;
}

/** Handles what is due, and resolves when nobody handles anything of the store any more. */
export async function finishWork(engine: Engine, store: Store): Promise<void> {
  let isAble: boolean;
  do {
    isAble = await workOn(engine, store);
    await workEnded(store);
  } while (isAble && mayWork(engine, store) && store.work?.hasCommands && store.work.unwritten.size === 0);
  forgetWork(store);
}

/** Resolves when no listener of the inbox runs that is waited for, and no command is being sent. */
export const workEnded = (store: Store): Promise<void> =>
  when(store, () => !store.work || (store.work.lanes === 0 && !store.work.sender)).reached;

/** What has failed in a `runOnce`. */
export function takeFailures(store: Store): Work['failures'] {
  const failures = store.work?.failures.splice(0) ?? [];
  forgetWork(store);
  return failures;
}

/** Whether a `runOnce` ends, because its signal has aborted. */
export const isEnding = ({ call, turn }: Store): boolean =>
  call === 'runOnce' && turn?.controller.signal.aborted === true;

/** A stop handles nothing more, nor does a `runOnce` whose signal has aborted; a pause only ends polling. */
const mayWork = (engine: Engine, store: Store) =>
  store.engine === engine && store.call !== undefined && !store.stopping && !isEnding(store);

/** Events that were claimed, but not handled, at the end of polling. */
export async function leaveWork(engine: Engine, store: Store): Promise<void> {
  const { work } = store;
  if (!work) return;
  await new InboxSettler(engine, store, work).release(work.backlog.splice(0).flat());
  await writeAgain(work);
  forgetWork(store);
}

/**
 * Tries again what could not be written. What fails again stays, behind the others: it may be what can never be written.
 * After two failures in a row, the database is probably away.
 */
async function writeAgain(work: Work): Promise<void> {
  let failures = 0;
  for (const write of [...work.unwritten]) {
    if (failures === 2) return;
    try {
      await write();
      work.unwritten.delete(write);
      failures = 0;
    } catch {
      failures += 1;
      // Others may have written it meanwhile.
      if (work.unwritten.delete(write)) work.unwritten.add(write);
    }
  }
}
