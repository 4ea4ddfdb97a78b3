import { abandonOnAbort } from '../async/promises.js';
import { type PollResult, pollCall } from '../events/read.js';
import type { Call } from '../http/call.js';
import { EVENTS_PER_POLL } from '../hub/endpoints.js';
import { POLL, type PollTrace } from '../observe/channels.js';
import { isTraced, trace } from '../observe/operation.js';
import { NO_PATIENCE } from '../quota/request.js';
import { momentOf } from '../time/clock.js';
import { stopTracking } from './context.js';
import { leaveStandby, scheduleNext, standBy, turnFailed, turnSucceeded } from './due.js';
import { type Engine, emit } from './engine.js';
import { storeEvents } from './inbox/store-events.js';
import { prepareInbox } from './inbox/watch.js';
import { acquireLease, handlingChanged, hasLease, leaseOfPoll } from './lease.js';
import { oneAtATime, readMarks, uncountAttempts } from './marks.js';
import { arrive, forgetMissing, type Plan } from './receive.js';
import { type Received, warnOfMerchants } from './report-events.js';
import { runListeners } from './run-listeners.js';
import { Settler } from './settle.js';
import { noteEnd, type OpenEvent, type Store, type Turn } from './store.js';

/**
 * One poll of a store and all that follows from it: lease → poll → marks →
 * `receive` → listeners → settler. Then it is decided when the next turn is due. Never rejects.
 *
 * @see Spec §6.2
 */
export async function turn(store: Store): Promise<void> {
  const engine = store.engine as Engine;
  const { clock } = engine.services;
  const { dueAt, expectedAt, startedAt, isStarted } = store;
  // A first poll is never late.
  const current = beginTurn(store, startedAt === undefined ? undefined : expectedAt);
  const { signal } = current.controller;
  store.startedAt = clock.monotonic();
  try {
    const leasedMs = hasLease(store, clock) ? 0 : await abandonOnAbort(acquireLease(engine, store), signal);
    if (leasedMs > 0) standBy(engine, store, leasedMs);
    else {
      if (store.isOnStandby) leaveStandby(engine, store);
      if (engine.inbox) await prepareInbox(engine, store);
      const received = await poll(engine, store, current);
      turnSucceeded(engine, store, dueAt);
      await handle(engine, store, current, received.plan);
    }
  } catch (error) {
    // Taken back: no poll was sent, so the next one is due when it was before.
    if (current.stage === 'unsent' && signal.aborted) Object.assign(store, { dueAt, startedAt });
    else if (!signal.aborted) turnFailed(engine, store, error, dueAt);
  }
  engine.scheduler.polled(store);
  // A listener has stopped the poller and started it again, and has gone on: the next turn has begun meanwhile.
  if (store.turn !== current) return;
  endTurn(store);
  scheduleNext(engine, store);
  if (!isStarted) engine.onFirstTurn(store);
}

/** @param expectedAt - when its poll was expected, in monotonic ms; undefined: now. */
export function beginTurn(store: Store, expectedAt?: number): Turn {
  store.turn = {
    controller: new AbortController(),
    stage: 'unsent',
    expectedAt,
    epoch: store.epoch,
    fence: 0,
    polledAt: 0,
  };
  return store.turn;
}

export function endTurn(store: Store): void {
  store.turn = undefined;
  if (store.settler?.isIdle && !store.runs) store.settler = undefined;
  if (store.onEnded) noteEnd(store);
}

/**
 * One poll, and the marks of its events.
 *
 * @throws what the poll throws.
 * @throws {StateError} the marks of the events cannot be read.
 */
export async function poll(engine: Engine, store: Store, current: Turn): Promise<Received> {
  const { clock } = engine.services;
  const beganAt = clock.monotonic();
  const polled = await send(engine, store, current);
  const { events } = polled;
  let { issues } = polled;
  let plan = NOTHING;
  store.polls += 1;
  store.isPollComplete = events.length < EVENTS_PER_POLL;
  if (events.length > 0 || store.refusedMarks) {
    const arrived = arrive(store, events, true, clock.monotonic());
    if (arrived.issues.length > 0) issues = [...issues, ...arrived.issues];
    plan = await readMarksInTurn(engine, store, current, arrived.received);
  }
  if (store.open) forgetMissing(store, engine.options.rememberMs, clock.monotonic());
  store.lastPolledAt = Math.floor(clock.now());
  store.waitsSince = momentOf(clock);
  current.stage = 'handling';
  if (engine.observers.has('polled')) {
    const durationMs = clock.monotonic() - beganAt;
    emit(engine, store, 'polled', { received: plan.received.length, issues, durationMs });
  }
  if (issues.length > 0) emit(engine, store, 'invalid', { issues });
  return { plan, issues };
}

const NOTHING: Plan = { received: [], redelivered: 0, done: [], queues: [] };

function send(engine: Engine, store: Store, current: Turn): Promise<PollResult> {
  const { clock } = engine.services;
  const { account, merchants = engine.options.merchants } = store;
  if (!merchants && engine.services.options.profile.requiresMerchants) warnOfMerchants(engine, store);
  const call = pollCall(account, merchants, {
    attempts: 1,
    // A turn does not wait for its slot: it ends, and the next one is due when that is free.
    patience: store.call === 'start' ? NO_PATIENCE : undefined,
    signal: current.controller.signal,
    lease: leaseOfPoll(engine, store),
    onSend: () => {
      // The interval counts from here: after a poll that waited for its token, the next one would come too soon.
      const now = clock.monotonic();
      store.startedAt = now;
      // The lease may have come since the turn began, and with it a new epoch.
      const { lease, epoch } = store;
      Object.assign(current, { stage: 'sent', epoch, fence: lease?.fence ?? 0, polledAt: now });
    },
  });
  return isTraced(POLL) ? traced(engine, store, current, call) : engine.services.send(account, call);
}

function traced(
  { services }: Engine,
  { account }: Store,
  current: Turn,
  call: Call<PollResult>,
): Promise<PollResult> {
  const context: PollTrace = { storeId: account.storeId, ...account.serverOf('polling') };
  return trace(POLL, context, async () => {
    try {
      const polled = await services.send(account, call);
      context.eventIds = polled.events.map(({ eventId }) => account.quote(eventId));
      context.issues = polled.issues.length;
      return polled;
    } finally {
      if (current.stage !== 'unsent')
        context.lateMs = Math.max(0, current.polledAt - (current.expectedAt ?? current.polledAt));
    }
  });
}

/** An abort does not wait for the state, which may count attempts nevertheless: they are taken back. */
async function readMarksInTurn(
  engine: Engine,
  store: Store,
  { controller: { signal }, polledAt }: Turn,
  received: readonly OpenEvent[],
): Promise<Plan> {
  const reading = oneAtATime(store, () => {
    signal.throwIfAborted();
    return engine.inbox ? storeEvents(engine, store, received) : readMarks(engine, store, received, polledAt);
  });
  try {
    return await abandonOnAbort(reading, signal);
  } catch (error) {
    reading.then(
      (plan) => uncountAttempts(engine, store, plan.received),
      () => {},
    );
    throw error;
  }
}

/**
 * Calls the listeners, writes the marks and sends the acknowledgments. When it resolves, every event is handled, has
 * failed or timed out, or is blocked by another one, and every acknowledgment was tried.
 */
export async function handle(engine: Engine, store: Store, current: Turn, plan: Plan): Promise<void> {
  if (plan.received.length === 0) return;
  const { epoch, fence, polledAt, controller } = current;
  store.settler ??= new Settler(engine, store);
  const { settler } = store;
  // Listeners that run may finish after the signal of `runOnce` has aborted; no further ones are called.
  const isCurrent = () =>
    !controller.signal.aborted && store.epoch === epoch && hasLease(store, engine.services.clock, fence);
  handlingChanged(engine, store, 1);
  try {
    for (const open of plan.done) settler.acknowledge(open);
    if (engine.inbox) engine.wakeInbox(store);
    await runListeners({ engine, store, settler, polledAt, isCurrent }, plan.queues);
    await settler.flush();
  } finally {
    await uncountAttempts(engine, store, plan.received);
    handlingChanged(engine, store, -1);
    stopTracking();
  }
}
