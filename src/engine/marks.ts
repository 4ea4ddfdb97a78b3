import { Limit } from '../async/promises.js';
import { StateError } from '../errors/index.js';
import type { Mark, RecallRequest } from '../state/port.js';
import { type Engine, reportError } from './engine.js';
import { decide, type Plan, receive } from './receive.js';
import { causeOf } from './report-events.js';
import type { OpenEvent, Store } from './store.js';

/** An event that failed must be remembered longer than the hub sends it, or it would count as unhandled. */
const ATTEMPTED_MS = 7 * 86_400_000; // a week

/**
 * A mark that is not written when its process is killed costs a second run of its event's listeners, so no more than
 * this many wait; and a state that has refused those of a whole evening does not get them all with one call.
 */
export const MARKS_PER_CALL = 200;

const HANDLED: Mark = Object.freeze({ handled: true, attempts: 0 });

const lifetimesOf = ({ options: { rememberMs } }: Engine): RecallRequest => ({
  handledMs: rememberMs,
  attemptedMs: Math.max(rememberMs, ATTEMPTED_MS),
});

const marksKeyOf = ({ account }: Store) => `events:${account.scope}`;

/**
 * Reads the marks of events, and counts in the same step the attempts that are
 * about to be made. If a listener kills the process, its attempt is counted, and a later process
 * without that listener does not take the event for an unhandled one.
 *
 * Only events that were never attempted are counted here, see `isSuspect`. If the state can read but not count, only
 * this process counts, so that no event has to wait.
 *
 * @param now - monotonic ms, for `decide`.
 * @throws {StateError} the state is unreachable: no event can be handled safely.
 */
export async function readMarks(
  engine: Engine,
  store: Store,
  received: readonly OpenEvent[],
  now: number,
): Promise<Plan> {
  try {
    // Until it can, this process knows them: no event has to wait at the hub.
    if (store.refusedMarks) await writeRefused(engine, store).catch(() => {});
    return await recall(engine, store, received, now);
  } catch (cause) {
    throw new StateError(
      `the marks of handled events cannot be read from the state (${causeOf(store, cause)}); no event is handled until they can`,
      { cause },
    );
  }
}

async function recall(
  engine: Engine,
  store: Store,
  received: readonly OpenEvent[],
  now: number,
): Promise<Plan> {
  const { clock, state } = engine.services;
  const ids = received.map(({ key }) => key);
  const coming = new Set(received.filter((open) => mayCount(engine, store, open, now)));
  const read = (count?: RecallRequest['count']) =>
    state.recall(marksKeyOf(store), ids, { ...lifetimesOf(engine), count }, clock);
  let marks: readonly Mark[] = [];
  try {
    const count = coming.size > 0 ? { ids: [...coming].map(({ key }) => key), below: 1 } : undefined;
    if (ids.length > 0) marks = await read(count);
  } catch (cause) {
    if (coming.size === 0) throw cause;
    marks = await read();
    coming.clear();
    reportUncounted(engine, store, cause);
  }
  return receive(received, withRefused(store, ids, marks), coming);
}

/** Whether listeners of the event will be called, unless it was handled or an earlier event of its order fails. */
function mayCount(engine: Engine, store: Store, open: OpenEvent, now: number): boolean {
  const { listeners, options } = engine;
  if (open.counted === 'ahead' || isSuspect(open, options.maxAttempts)) return false;
  if (store.refusedMarks?.has(open.key)) return false;
  if (options.ordering === 'per-order' && store.orders?.has(open.event.orderId)) return false;
  return decide(open, listeners.of(open.event.eventType), options, now) === 'run';
}

/** What the state has refused is known here. */
function withRefused({ refusedMarks }: Store, ids: readonly string[], marks: readonly Mark[]) {
  if (!refusedMarks) return marks;
  return marks.map((mark, index) => (refusedMarks.has(ids[index] as string) ? HANDLED : mark));
}

/**
 * The event was attempted before, possibly by a process that another event of
 * the same poll has killed. If it were counted together with all the others
 * again, it would reach `maxAttempts` without a real attempt: it is counted alone, just before its listeners are called.
 */
export const isSuspect = ({ attempts, counted }: OpenEvent, maxAttempts: number): boolean =>
  // With one attempt, a count that is shared with others would use it up.
  counted !== 'ahead' && (attempts > 0 || maxAttempts === 1);

/**
 * Counts the coming attempt of one event, and begins it before another one is counted. If the state fails, only this
 * process counts, so that no order has to wait.
 */
export function countAlone<T>(
  engine: Engine,
  store: Store,
  open: OpenEvent,
  begin: () => T | Promise<T>,
): Promise<T> {
  // In an object: the next one does not wait until this attempt is over.
  const begun = oneAtATime(store, async () => {
    await countOne(engine, store, open);
    return { attempt: begin() };
  });
  return begun.then(({ attempt }) => attempt);
}

async function countOne(engine: Engine, store: Store, open: OpenEvent): Promise<void> {
  const { clock, state } = engine.services;
  const count = { ids: [open.key], below: Number.POSITIVE_INFINITY };
  try {
    const [mark] = await state.recall(
      marksKeyOf(store),
      [open.key],
      { ...lifetimesOf(engine), count },
      clock,
    );
    if (mark?.handled) open.status = 'marked';
    else {
      open.counted = 'ahead';
      open.attempts = Math.max(open.attempts, mark?.attempts ?? 0);
    }
  } catch {
    // Only this process counts it.
  }
}

/** A failed event must never count as unhandled: an attempt that the state could not count is counted now. */
export async function countFailed(engine: Engine, store: Store, open: OpenEvent): Promise<void> {
  // Before it is written: the end of a run and its time limit may come together.
  open.counted = 'exactly';
  if (!(await addAttempts(engine, store, [open], 1))) open.counted = 'behind';
}

/** Takes back the attempts that were counted and not made. */
export async function uncountAttempts(
  engine: Engine,
  store: Store,
  events: readonly OpenEvent[],
): Promise<void> {
  if (!events.some(({ counted }) => counted === 'ahead')) return;
  await oneAtATime(store, async () => {
    const ahead = events.filter(({ counted }) => counted === 'ahead');
    for (const open of ahead) open.counted = 'exactly';
    if (ahead.length > 0) await addAttempts(engine, store, ahead, -1);
  });
}

/**
 * The attempts of a store's events are read and taken back in turn: two readings would both count the coming attempt
 * of an event, or one would see an attempt that is being taken back.
 */
export function oneAtATime<T>(store: Store, work: () => Promise<T>): Promise<T> {
  store.reading ??= new Limit(1);
  return store.reading.run(work);
}

async function addAttempts(
  engine: Engine,
  store: Store,
  events: readonly OpenEvent[],
  attempts: 1 | -1,
): Promise<boolean> {
  const { clock, state } = engine.services;
  const forMs = lifetimesOf(engine).attemptedMs;
  try {
    const ids = events.map(({ key }) => key);
    await state.mark(marksKeyOf(store), ids, { attempts, forMs }, clock);
    return true;
  } catch {
    return false;
  }
}

/** Marks events as handled. @throws the state's error. */
export function markHandled(engine: Engine, store: Store, ids: readonly string[]) {
  const { clock, state } = engine.services;
  return state.mark(marksKeyOf(store), ids, { handled: true, forMs: engine.options.rememberMs }, clock);
}

/** Tries once more to write the marks that the state has refused. @throws the state's error. */
export async function writeRefused(engine: Engine, store: Store): Promise<void> {
  const { refusedMarks } = store;
  if (!refusedMarks) return;
  const ids = [...refusedMarks];
  for (let from = 0; from < ids.length; from += MARKS_PER_CALL) {
    const some = ids.slice(from, from + MARKS_PER_CALL);
    await markHandled(engine, store, some);
    for (const id of some) refusedMarks.delete(id);
  }
  if (refusedMarks.size === 0) store.refusedMarks = undefined;
}

function reportUncounted(engine: Engine, store: Store, cause: unknown): void {
  const message = `the state could not count the attempts of a poll's events (${causeOf(store, cause)}); this process counts them, and a restart forgets them`;
  reportError(engine, store, new StateError(message, { cause }));
}
