import { ClosedError, StateError } from '../errors/index.js';
import { Acknowledgments } from '../events/acknowledgments.js';
import type { AcknowledgeResult } from '../events/client.js';
import { ACKNOWLEDGMENT_MAX_ITEMS } from '../hub/endpoints.js';
import { startTimer } from '../time/clock.js';
import { type Engine, emit, reportError } from './engine.js';
import type { Settling } from './handling.js';
import { IterationEnded } from './iterate.js';
import { countFailed, MARKS_PER_CALL, markHandled, uncountAttempts } from './marks.js';
import { confirm, mayAcknowledge } from './receive.js';
import { aboutEvent, shownId } from './report-events.js';
import { noteFailure, type Run } from './run.js';
import type { OpenEvent, Store } from './store.js';

/** How long an event waits for others to share its acknowledgment. */
const FLUSH_AFTER_MS = 1000;

/** Why an acknowledgment is not sent again: meanwhile a poll has brought another event with an id of it. */
const SUPERSEDED = new ClosedError();

/** The hub repeats what is not confirmed, so a long wait here would only delay the next poll. */
const ACKNOWLEDGE_LIMITS = { deadlineMs: 30_000, patience: { quotaMs: 60_000, shutMs: 0 } };

/** The acknowledgments of a store; `hub.events` uses the same. */
export function acknowledgmentsOf({ services }: Pick<Engine, 'services'>, store: Store): Acknowledgments {
  store.acknowledgments ??= new Acknowledgments(services, store.account);
  return store.acknowledgments;
}

/**
 * What follows when an event is handled: its mark is written, then it is
 * acknowledged. Marks are written up to 200 with one call, those of one turn of the event
 * loop together; acknowledgments are sent at 100 events, after a second, at the
 * end of a turn and on stop. What could not be acknowledged is tried again when the hub sends it again.
 */
export class Settler implements Settling {
  readonly #engine: Engine;
  readonly #store: Store;
  #unmarked: OpenEvent[] = [];
  #isMarkingSoon = false;
  /** The state call under way. */
  #marking: Promise<void> | undefined;
  #queue: OpenEvent[] = [];
  #cancelTimer: (() => void) | undefined;
  readonly #requests = new Set<Promise<void>>();
  readonly #abort = new AbortController();

  constructor(engine: Engine, store: Store) {
    this.#engine = engine;
    this.#store = store;
  }

  /** Whether it has nothing to do. */
  get isIdle(): boolean {
    return (
      this.#unmarked.length === 0 && !this.#marking && this.#queue.length === 0 && this.#requests.size === 0
    );
  }

  /** All listeners of the event have resolved. */
  handled(open: OpenEvent): void {
    open.status = 'handled';
    this.#unmarked.push(open);
    if (this.#unmarked.length >= MARKS_PER_CALL) this.#mark();
    else if (!this.#isMarkingSoon) {
      this.#isMarkingSoon = true;
      queueMicrotask(() => {
        this.#isMarkingSoon = false;
        this.#mark();
      });
    }
  }

  /** A listener has failed: the hub sends the event again. */
  failed(run: Run, error: unknown): boolean | Promise<boolean> {
    const { engine, store, open } = run;
    if (error instanceof IterationEnded && !error.wasTried) {
      // The loop ended before it had this one, or had no time for it. It runs again after its `retryAt`.
      open.status = 'waiting';
      open.attempts -= 1;
      // Counted by the state, it is taken back when its poll has ended; that may be over.
      open.counted = open.counted === 'behind' ? 'exactly' : 'ahead';
      return run.isLate && uncountAttempts(engine, store, [open]).then(() => false);
    }
    open.status = 'failed';
    noteFailure(run, error, !run.isOwnAbort(error));
    return open.counted === 'behind' && countFailed(engine, store, open).then(() => false);
  }

  /** The most marks that may wait are waiting: the next event waits too. */
  get isFull(): boolean {
    return this.#unmarked.length >= MARKS_PER_CALL && this.#marking !== undefined;
  }

  /** Acknowledges an event, and others that waited for it because they have the same id. */
  acknowledge(open: OpenEvent): void {
    if (!open.isMarked) open.status = 'marked';
    if (!mayAcknowledge(this.#store, open)) return;
    let each = this.#store.open?.get(open.event.eventId);
    if (!each?.next) each = open;
    for (; each; each = each.next) if (each.status === 'marked') this.#add(each);
  }

  /** Writes the marks of all events that were handled so far, which queues their acknowledgments. */
  async marked(): Promise<void> {
    for (this.#mark(); this.#marking; this.#mark()) await this.#marking;
  }

  /** Resolves when every mark and every acknowledgment so far was tried. */
  async flush(): Promise<void> {
    await this.marked();
    this.#send();
    while (this.#requests.size > 0) await Promise.all(this.#requests);
  }

  /** Aborts the requests in flight. */
  abort(reason: unknown): void {
    this.#abort.abort(reason);
  }

  #mark(): void {
    if (this.#marking || this.#unmarked.length === 0) return;
    const events = this.#unmarked.splice(0);
    // After `#write`, which is over before it returns if the state throws at once.
    this.#marking = this.#write(events).then(() => {
      this.#marking = undefined;
      this.#mark();
    });
  }

  /** Memory keeps the marks that the state refuses. */
  async #write(events: readonly OpenEvent[]): Promise<void> {
    const ids = events.map(({ key }) => key);
    let refusal: { readonly error: unknown } | undefined;
    try {
      await markHandled(this.#engine, this.#store, ids);
    } catch (error) {
      refusal = { error };
    }
    if (this.#store.engine === this.#engine) this.#store.handled += events.length;
    for (const open of events) {
      this.acknowledge(open);
      if (refusal) this.#refused(open, refusal.error);
    }
  }

  #refused(open: OpenEvent, error: unknown): void {
    const engine = this.#engine;
    const store = this.#store;
    store.refusedMarks ??= new Set();
    store.refusedMarks.add(open.key);
    const about = aboutEvent(store, open);
    const message = `event ${about.eventId} is handled, but the mark could not be written`;
    const refusal = new StateError(message, { cause: error ?? new Error('no reason given') });
    reportError(engine, store, refusal, undefined, about);
  }

  /** The response to a push confirms an event that no poll has returned. */
  #add(open: OpenEvent): void {
    open.status = 'acknowledging';
    if (!open.isPolled) {
      confirm(this.#store, open.event.eventId);
      return;
    }
    this.#queue.push(open);
    const isFull = this.#queue.length >= ACKNOWLEDGMENT_MAX_ITEMS;
    if (isFull && !acknowledgmentsOf(this.#engine, this.#store).isSaturated)
      this.#send(ACKNOWLEDGMENT_MAX_ITEMS);
    // After a stop, nobody flushes, and no timer may remain.
    else if (!this.#store.call) this.#send();
    else
      this.#cancelTimer ??= startTimer(this.#engine.services.clock, FLUSH_AFTER_MS, () => {
        this.#cancelTimer = undefined;
        this.#send();
      });
  }

  #send(count = this.#queue.length): void {
    const sent = this.#queue.splice(0, count);
    if (this.#queue.length === 0) {
      this.#cancelTimer?.();
      this.#cancelTimer = undefined;
    }
    // A poll may have come while they waited. These are added again when they may.
    const held = new Set(sent.filter((open) => !mayAcknowledge(this.#store, open)));
    for (const open of held) if (open.isMarked) open.status = 'marked';
    const batch = sent.filter((open) => !held.has(open));
    if (batch.length === 0) return;
    const request = this.#request(batch).finally(() => this.#requests.delete(request));
    this.#requests.add(request);
  }

  async #request(batch: readonly OpenEvent[]): Promise<void> {
    const events = batch.map(({ event }) => event);
    const engine = this.#engine;
    const store = this.#store;
    // Before each attempt: what a poll has brought since the last one would be confirmed too.
    const onSend = () => {
      if (!batch.every((open) => mayAcknowledge(store, open))) throw SUPERSEDED;
    };
    try {
      const options = { signal: this.#abort.signal, ...ACKNOWLEDGE_LIMITS, onSend };
      const { acknowledged, rejected } = await acknowledgmentsOf(engine, store).send(events, options);
      for (const eventId of acknowledged) confirm(store, eventId);
      if (store.engine === engine) store.acknowledged += acknowledged.length;
      if (acknowledged.length > 0 && engine.observers.has('acknowledged'))
        emit(engine, store, 'acknowledged', {
          eventIds: acknowledged.map((eventId) => shownId(store, eventId)),
        });
      if (rejected.length > 0) for (const [error, ids] of idsByError(rejected)) this.#failed(ids, error);
    } catch (error) {
      this.#failed(
        events.map(({ eventId }) => eventId),
        error,
      );
    }
  }

  #failed(eventIds: readonly string[], error: unknown): void {
    const engine = this.#engine;
    const store = this.#store;
    // Listeners that a stop did not wait for have resolved after it: its report has these events.
    const isReported = error instanceof ClosedError && !(store.call && store.settler === this);
    if (isReported || error === SUPERSEDED) return;
    emit(engine, store, 'acknowledgeFailed', {
      eventIds: eventIds.map((eventId) => shownId(store, eventId)),
      error,
    });
    reportError(engine, store, error);
  }
}

/** One report for each error, not for each id. */
function idsByError(rejected: AcknowledgeResult['rejected']): ReadonlyMap<unknown, string[]> {
  const groups = new Map<unknown, string[]>();
  for (const { eventId, error } of rejected) {
    const ids = groups.get(error);
    if (ids) ids.push(eventId);
    else groups.set(error, [eventId]);
  }
  return groups;
}

/** The store's settler. It is made for the first event, and dropped when it has nothing to do. */
export function settlerOf(engine: Engine, store: Store): Settler {
  store.settler ??= new Settler(engine, store);
  return store.settler;
}
