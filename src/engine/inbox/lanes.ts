import { frozen } from '../../events/read.js';
import type { ClaimedEvent } from '../../inbox/tables.js';
import type { OrderEvent } from '../../schemas/event.js';
import { stopTracking } from '../context.js';
import { reportError } from '../engine.js';
import { handlingChanged } from '../lease.js';
import { oneAtATime } from '../marks.js';
import { queuesByOrder } from '../receive.js';
import { noListenerLeft } from '../report-events.js';
import { Run, startRun } from '../run.js';
import { noteEnd, OpenEvent } from '../store.js';
import { inTables } from './record.js';
import type { Term } from './settle.js';
import { leaveOut } from './store-events.js';

/** Events that are claimed with one statement. */
const CLAIM_LIMIT = 200;

/** A lane takes one order after another, until nothing is due. */
export async function startLane(term: Term): Promise<void> {
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

async function nextQueue(term: Term): Promise<OpenEvent[] | undefined> {
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
  work.backlog.push(...queuesByOrder(events));
  if (claimed.length === CLAIM_LIMIT) work.isWoken = true;
  const more = Math.min(work.backlog.length - 1, engine.options.concurrency - work.lanes);
  for (let count = 0; count < more; count += 1) {
    startLane(term).catch((error) => reportError(engine, store, error));
  }
}

export function openEventOf({ key, event, attempts, isCounted }: ClaimedEvent, now: number): OpenEvent {
  const open = new OpenEvent(frozen(JSON.parse(event) as OrderEvent), key, false, 0, now);
  open.attempts = attempts - (isCounted ? 1 : 0);
  open.counted = isCounted ? 'ahead' : 'exactly';
  open.isRedelivered = open.attempts > 0;
  return open;
}

/** The events of one order, one after another. */
async function runQueue(term: Term, queue: OpenEvent[]): Promise<void> {
  const { engine, settler, isCurrent } = term;
  const { queues } = term.work;
  const orderId = queue[0]?.event.orderId as string;
  // If what fails does not block its order, later events are claimed while earlier ones run: the lane of those takes them.
  const running = queues.get(orderId);
  if (running) {
    running.push(...queue);
    return;
  }
  queues.set(orderId, queue);
  let next = 0;
  try {
    while (next < queue.length && isCurrent()) {
      const mayGoOn = await runOne(term, queue[next] as OpenEvent);
      next += 1;
      if (!mayGoOn && engine.options.ordering === 'per-order') break;
    }
  } finally {
    // At once: what is added after the last look would not run.
    queues.delete(orderId);
  }
  await settler.release(queue.slice(next));
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
