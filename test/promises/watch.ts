import type { EventContext, OrderEvent } from 'opendelivery-client';
import type { JournalEntry, ManualClock } from 'opendelivery-client/testing';
import { type Emission, type HostileHub, keyOf, typeOf } from './hostile-hub.js';
import type { Process } from './process.js';

/** A mark reaches the state at most this long after its event was handled. */
const MARK_MS = 2000;

/** One event and what happened to it. */
interface Watched {
  readonly orderId: string;
  /** Its place among the events of its order; undefined if it has the date of an earlier event. */
  place: number | undefined;
  runs: number;
  lastAttempt: number;
  /** Attempts that may have been counted and not made, because of kills and suspensions. */
  spareAttempts: number;
  handledAt: number | undefined;
  handledBy: Process | undefined;
  handledCount: number;
  /** Whether two processes may have handled it: one was suspended past its lease, or its stop timed out. */
  mayOverlap: boolean;
}

/** One call of all listeners of an event. */
interface Run {
  readonly process: Process;
  readonly event: Watched;
  open: number;
  failed: boolean;
  /** Whether another process may run the event too. */
  isUnprotected: boolean;
}

/** Whether the state has the mark of an event that was handled. */
const isMarked = ({ handledAt = 0 }: Watched, now: number) => now - handledAt >= MARK_MS;

/** Watches every event and run, and reports each broken promise as a breach. */
export class Watch {
  readonly breaches: string[];
  failures = 0;
  /** Runs at the same time as a run of a process that was suspended past its lease, or whose stop timed out. */
  overlaps = 0;
  readonly #clock: ManualClock;
  readonly #events = new Map<string, Watched>();
  readonly #runs = new Set<Run>();
  readonly #byContext = new WeakMap<EventContext, Run>();
  readonly #lastPlaces = new Map<string, number>();
  readonly #listeners: (type: string) => number;
  readonly #stopDeadlines = new Map<Process, number>();

  /** @param listeners - how many listeners there are for a type. */
  constructor(clock: ManualClock, listeners: (type: string) => number, breaches: string[]) {
    this.#clock = clock;
    this.#listeners = listeners;
    this.breaches = breaches;
  }

  /** The hub has emitted an event; `place` is its place among the events of its order. */
  emitted({ key, orderId }: Emission, place: number | undefined): void {
    if (this.#events.has(key)) return;
    this.#events.set(key, {
      orderId,
      place,
      runs: 0,
      lastAttempt: 0,
      spareAttempts: 0,
      handledAt: undefined,
      handledBy: undefined,
      handledCount: 0,
      mayOverlap: false,
    });
  }

  /** The hub pushes an event before a poll brings the earlier ones of its order: it has no place any longer. */
  pushed({ key }: Emission): void {
    const event = this.#events.get(key);
    if (event) event.place = undefined;
  }

  isKnown(key: string): boolean {
    return this.#events.has(key);
  }

  /** A listener has been called. */
  begin(process: Process, received: OrderEvent, context: EventContext): Run | undefined {
    const known = this.#byContext.get(context);
    if (known) return known;
    const event = this.#events.get(
      keyOf({ ...received, createdAt: String(received.createdAt), metadata: received.metadata } as Emission),
    );
    if (!event) {
      this.breaches.push(`${received.eventId}: a listener was called with an event that the hub never sent`);
      return undefined;
    }
    const open = this.#listeners(typeOf(received));
    const run: Run = { process, event, open, failed: false, isUnprotected: false };
    this.#byContext.set(context, run);
    this.#checkAlone(run, received.eventId);
    this.#checkAttempt(event, context.attempt, received.eventId);
    this.#runs.add(run);
    if (event.handledAt !== undefined && !this.#mayRepeat(event))
      this.breaches.push(`${received.eventId} is handled again`);
    return run;
  }

  /** One of the run's listeners has settled. */
  end(run: Run, resolved: boolean): void {
    run.open -= 1;
    run.failed ||= !resolved;
    if (!resolved) this.failures += 1;
    if (run.open > 0) return;
    this.#runs.delete(run);
    if (!run.failed) this.#handled(run);
  }

  /** Others may run this process's events from now on: it may have been suspended past its lease. */
  mayLoseLease(process: Process): void {
    for (const run of this.#runs) if (run.process === process) run.isUnprotected = true;
    const now = this.#clock.monotonic();
    for (const event of this.#events.values()) {
      if (event.handledBy === process) event.mayOverlap ||= !isMarked(event, now);
    }
    this.#spare(process);
  }

  /** It is suspended, perhaps for longer than it waits for the state, which may have counted attempts meanwhile. */
  mayMissReply(process: Process): void {
    this.#spare(process);
  }

  killed(process: Process): void {
    this.#spare(process);
    for (const run of this.#runs) if (run.process === process) this.#runs.delete(run);
  }

  /** After this time another process may have the lease, although listeners of this one are still running. */
  stopping(process: Process, timeoutMs: number): void {
    this.#stopDeadlines.set(process, this.#clock.monotonic() + timeoutMs);
  }

  /** The process starts again; another process may run the events that it has left running. */
  started(process: Process): void {
    for (const run of this.#runs) run.isUnprotected ||= run.process === process && this.#isPastStop(process);
    this.#stopDeadlines.delete(process);
  }

  /** The hub has responded to a request of any process. */
  responded({ acknowledged = [], monotonicAt }: JournalEntry, hub: HostileHub): void {
    for (const id of acknowledged) {
      const emission = hub.find(id);
      if (!emission || this.#listeners(typeOf(emission)) === 0) continue;
      const handledAt = this.#events.get(emission.key)?.handledAt;
      if (handledAt === undefined || handledAt > monotonicAt)
        this.breaches.push(`${id} was acknowledged before it was handled`);
    }
  }

  /** Checks what must be true at the end. */
  finish(hub: HostileHub): void {
    for (const { id, key, ...emission } of hub.emissions) {
      const expected = this.#listeners(typeOf(emission)) > 0 ? 1 : 0;
      const { handledCount = 0, mayOverlap = false } = this.#events.get(key) ?? {};
      if (handledCount < expected || (handledCount > expected && !mayOverlap))
        this.breaches.push(`${id} was handled ${handledCount} times`);
    }
  }

  #handled(run: Run): void {
    const { event, process } = run;
    const isUnprotected = this.#isUnprotected(run);
    const { orderId, place } = event;
    if (place !== undefined && !isUnprotected) {
      if (place < (this.#lastPlaces.get(orderId) ?? -1)) this.breaches.push(`order ${orderId}: out of order`);
      this.#lastPlaces.set(orderId, place);
    }
    if (isUnprotected || event.handledCount > 0) event.mayOverlap = true;
    event.handledAt ??= this.#clock.monotonic();
    event.handledBy = process;
    event.handledCount += 1;
  }

  #checkAlone(run: Run, eventId: string): void {
    const { event, process } = run;
    for (const other of this.#runs) {
      if (other.event.orderId !== event.orderId) continue;
      const isSame = other.event === event;
      if (other.process !== process && this.#isUnprotected(other)) {
        this.overlaps += 1;
        event.mayOverlap = true;
      } else if (isSame) this.breaches.push(`${eventId} runs twice at once`);
      else this.breaches.push(`order ${event.orderId}: two events at once`);
    }
  }

  #checkAttempt(event: Watched, attempt: number, eventId: string): void {
    event.runs += 1;
    // An attempt that a suspended process had counted and not made is taken back when it goes on.
    const next = event.spareAttempts > 0 ? event.runs : event.lastAttempt + 1;
    const least = event.mayOverlap ? Math.min(event.lastAttempt, next) : next;
    if (attempt < least) this.breaches.push(`${eventId}: attempt ${attempt} after ${event.lastAttempt}`);
    const most = event.runs + event.spareAttempts;
    if (attempt > most) this.breaches.push(`${eventId}: attempt ${attempt}, but at most ${most} were made`);
    event.lastAttempt = Math.max(event.lastAttempt, attempt);
  }

  /** Whether its process was killed before the state had the mark, or two processes may have handled it. */
  #mayRepeat(event: Watched): boolean {
    const killedAt = event.handledBy?.killedAt;
    return event.mayOverlap || (killedAt !== undefined && !isMarked(event, killedAt));
  }

  #spare(process: Process): void {
    for (const { key } of [...process.response, ...process.pushed]) {
      const event = this.#events.get(key);
      if (event) event.spareAttempts += 1;
    }
  }

  #isUnprotected({ isUnprotected, process }: Run): boolean {
    return isUnprotected || this.#isPastStop(process);
  }

  #isPastStop(process: Process): boolean {
    return this.#clock.monotonic() >= (this.#stopDeadlines.get(process) ?? Number.POSITIVE_INFINITY);
  }
}
