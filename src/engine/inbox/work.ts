import { frozen } from '../../events/read.js';
import type { ClaimedEvent } from '../../inbox/tables.js';
import type { OrderEvent } from '../../schemas/event.js';
import { stopTracking } from '../context.js';
import { type Engine, reportError } from '../engine.js';
import { acquireLease, handlingChanged, hasLease } from '../lease.js';
import { oneAtATime } from '../marks.js';
import { queuesByOrder } from '../receive.js';
import { noListenerLeft } from '../report-events.js';
import { Run, startRun } from '../run.js';
import { noteEnd, OpenEvent, type Store, when } from '../store.js';
import { sendCommands } from './commands.js';
import { forgetWork, inTables, type Work, workOf } from './record.js';
import { InboxSettler, type Term } from './settle.js';
import { leaveOut } from './store-events.js';

/** Events that are claimed with one statement. */
const CLAIM_LIMIT = 200;

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

/** Tries again what could not be written. What fails again stays. */
async function writeAgain(work: Work): Promise<void> {
  for (const write of [...work.unwritten]) {
    try {
      await write();
      work.unwritten.delete(write);
    } catch {
      return;
    }
  }
}

/** A lane takes one order after another, until nothing is due. */
async function startLane(term: Term): Promise<void> {
  const { engine, store, settler, work, isCurrent } = term;
  if (work.lanes >= engine.options.concurrency) return;
  work.lanes += 1;
  handlingChanged(engine, store, 1);
  try {
    for (let queue = await nextQueue(term); queue; queue = await nextQueue(term)) {
      if (isCurrent()) await runQueue(term, queue);
      else await settler.release(queue);
    }
  } finally {
    await settler.written();
    work.lanes -= 1;
    handlingChanged(engine, store, -1);
    if (work.lanes === 0) stopTracking();
    engine.deadlines.stopTimer();
    noteEnd(store);
  }
  if (work.isWoken && isCurrent()) await startLane(term);
}

async function nextQueue(term: Term): Promise<readonly OpenEvent[] | undefined> {
  const { work } = term;
  while (work.backlog.length === 0 && work.isWoken && term.isCurrent())
    await work.filling.run(() => fill(term));
  return work.owner === term.settler.owner ? work.backlog.shift() : undefined;
}

/** Claims what is due, and starts as many lanes as it needs. */
async function fill(term: Term): Promise<void> {
  const { engine, store, settler, work } = term;
  const { maxAttempts, ordering } = engine.options;
  const isOrdered = ordering === 'per-order';
  work.isWoken = false;
  work.hasBlocked = work.held.size > 0;
  const request = {
    owner: settler.owner,
    held: isOrdered
      ? [...new Set([...work.held.values()].map(({ event }) => event.orderId))]
      : [...work.held.keys()],
    isOrdered,
    // What is counted here and interrupted by a crash was perhaps not tried. If attempts are limited, each is counted
    // when it is made; otherwise the first one, which saves a statement for nearly every event.
    countBelow: maxAttempts === Number.POSITIVE_INFINITY ? 1 : 0,
    limit: CLAIM_LIMIT,
  };
  let claimed: readonly ClaimedEvent[];
  try {
    claimed = await inTables(engine, store, (tables, key, now) => tables.claim(key, { ...request, now }));
  } catch (error) {
    // The rows may be claimed, and only the reply was lost: the next look claims them again.
    work.isWoken = true;
    throw error;
  }
  // Another lease came meanwhile.
  if (work.owner !== settler.owner) return;
  const now = engine.services.clock.monotonic();
  const events = claimed.map((each) => openEventOf(each, now));
  for (const open of events) work.held.set(open.key, open);
  work.backlog.push(...(isOrdered ? queuesByOrder(events) : events.map((open) => [open])));
  if (claimed.length === CLAIM_LIMIT) work.isWoken = true;
  const more = Math.min(work.backlog.length - 1, engine.options.concurrency - work.lanes);
  for (let count = 0; count < more; count += 1) {
    startLane(term).catch((error) => reportError(engine, store, error));
  }
}

function openEventOf({ key, event, attempts, isCounted }: ClaimedEvent, now: number): OpenEvent {
  const open = new OpenEvent(frozen(JSON.parse(event) as OrderEvent), key, false, 0, now);
  open.attempts = attempts - (isCounted ? 1 : 0);
  open.counted = isCounted ? 'ahead' : 'exactly';
  open.isRedelivered = open.attempts > 0;
  return open;
}

/** The events of one order, one after another. */
async function runQueue(term: Term, queue: readonly OpenEvent[]): Promise<void> {
  for (const [index, open] of queue.entries()) {
    if ((await runOne(term, open)) && term.isCurrent()) continue;
    await term.settler.release(queue.slice(index + 1));
    return;
  }
}

/** @returns whether the later events of the order may follow. */
async function runOne(term: Term, open: OpenEvent): Promise<boolean> {
  const { engine, store, settler, work } = term;
  const { registrations, isBusy } = engine.listeners.of(open.event.eventType);
  if (isBusy) {
    await settler.release([open]);
    // Its time comes with the next look; until then, it would be claimed again and again.
    work.isWoken = false;
    return false;
  }
  if (registrations.length === 0 && leaveOut(engine, store, open)) {
    settler.mark(open);
    return true;
  }
  const begin = () => {
    open.attempts += 1;
    open.counted = 'exactly';
    const run = new Run(term, open, false);
    if (registrations.length > 0) return startRun(run, registrations, open.event);
    return settler.failed(run, noListenerLeft(store, open, 'in the inbox'));
  };
  if (open.counted === 'ahead') return begin();
  // As in `countAlone`: one is begun before another one is counted.
  const { attempt } = await oneAtATime(store, async () => {
    try {
      await inTables(engine, store, (tables, key) => tables.count(key, open.key, settler.owner));
      open.counted = 'ahead';
    } catch (error) {
      reportError(engine, store, error);
    }
    return { attempt: term.isCurrent() ? begin() : settler.release([open]).then(() => false) };
  });
  return attempt;
}
