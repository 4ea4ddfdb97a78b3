import type { Clock } from '../clock.js';
import { TimeoutError } from '../errors.js';
import type { OrderEvent } from '../schemas/event.js';
import { lifecycleRank } from '../schemas/event-types.js';
import { keyOf } from './event-key.js';
import type { Ledger } from './ledger.js';
import type { Listeners, Registration } from './listeners.js';
import type { Outcomes } from './outcomes.js';
import { Run, type RunOwner, type RunResult, runListeners } from './run.js';
import { RunTimeouts } from './run-timeouts.js';
import { callingRun, inRun, type Runs } from './runs.js';
import type { StoreLease } from './store-lease.js';

export interface DispatcherOptions {
  readonly clock: Clock;
  readonly listeners: Listeners;
  readonly ledger: Ledger;
  readonly outcomes: Outcomes;
  readonly runs: Runs;
  readonly lease: Pick<StoreLease, 'isHeld' | 'fence'>;
  readonly concurrency: number;
  readonly listenerTimeoutMs: number;
  readonly maxAttempts: number;
  readonly ordering: 'per-order' | 'none';
}

/** Whether later events of the order may follow in this cycle, or this one is to be settled first. */
type Outcome = 'go on' | 'hold back';

/** The listeners did not settle in time. */
const LATE = Symbol('late');

/** What a poll was sent under: its events are dispatched as long as this is so. */
export interface Term {
  readonly stops: number;
  readonly fence: number;
}

/** Events of one order, in sequence. */
type Lane = readonly OrderEvent[];

/**
 * Hands events to their listeners: one order's strictly one after another,
 * several orders at a time.
 *
 * An event whose listeners time out is left running and blocks only its own
 * order; it is not handed out again before that run has settled.
 */
export class Dispatcher implements RunOwner {
  readonly #options: DispatcherOptions;
  /** Keys of events whose listeners wait for `stop` themselves. */
  readonly #excused = new Set<string>();
  readonly #timeouts: RunTimeouts<typeof LATE>;
  /** Counts the stops: what was begun before one hands out nothing after it. */
  #stops = 0;
  #excuse = deferred();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#timeouts = new RunTimeouts<typeof LATE>(options.clock, options.listenerTimeoutMs, LATE);
  }

  get fence(): number {
    return this.#options.lease.fence;
  }

  /** The events whose listeners `dispatch` will call, unless one before them fails; it counts the suspects itself. */
  callable(events: readonly OrderEvent[]): OrderEvent[] {
    return events.filter((event) => this.#isCallable(event) && !this.#isSuspect(event));
  }

  #isCallable(event: OrderEvent): boolean {
    const { listeners, ledger, runs, maxAttempts, ordering } = this.#options;
    const isBusy = runs.has(event) || (ordering === 'per-order' && runs.hasOrder(event.orderId));
    if (isBusy || ledger.attemptsOf(event) >= maxAttempts) return false;
    return listeners.of(event.eventType).registrations.length > 0;
  }

  /**
   * Counted before, maybe by a process that another event of the poll has
   * killed: counted with all the others again, it would be given up untried.
   */
  #isSuspect(event: OrderEvent): boolean {
    const { ledger, maxAttempts } = this.#options;
    return maxAttempts !== Number.POSITIVE_INFINITY && ledger.attemptsOf(event) > 0;
  }

  /** To be noted when a poll is sent. */
  get term(): Term {
    return { stops: this.#stops, fence: this.fence };
  }

  /**
   * Resolves when every event is settled, timed out or held back.
   *
   * @param term - of the poll: under a later lease, another poller may have handled its events in between.
   */
  async dispatch(events: readonly OrderEvent[], term: Term): Promise<void> {
    const lanes = lanesOf(events);
    const isStopped = () => this.#stops !== term.stops || !this.#isHeldUnder(term.fence);
    let next = 0;
    const worker = async () => {
      while (next < lanes.length && !isStopped()) {
        const lane = lanes[next] as Lane;
        next += 1;
        await this.#runLane(lane, isStopped);
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.#options.concurrency, lanes.length) }, worker));
  }

  /** Nothing more of what is being dispatched is handed out. */
  stop(): void {
    this.#stops += 1;
  }

  /** Called inside a listener: `settled` does not wait for that one, which itself waits for `settled`. */
  excuseCaller(): void {
    const own = callingRun();
    if (own?.owner !== this) return;
    this.#excused.add(keyOf(own.event));
    const { resolve } = this.#excuse;
    this.#excuse = deferred();
    resolve();
  }

  /** Resolves when all runs of this dispatcher have settled, but for the excused. */
  async settled(): Promise<void> {
    while (true) {
      const waited = this.#options.runs.of(this).filter(({ run }) => !this.#excused.has(keyOf(run.event)));
      if (waited.length === 0) return;
      const all = Promise.all(waited.map(({ settled }) => settled));
      await Promise.race([all, this.#excuse.promise]);
    }
  }

  /** Gives up on the runs under way; they settle when they like. */
  abortAll(reason: unknown): void {
    for (const { run } of this.#options.runs.of(this)) this.#giveUp(run, reason);
    this.#timeouts.abandonAll();
  }

  async #runLane(lane: Lane, isStopped: () => boolean): Promise<void> {
    const { ordering } = this.#options;
    const [first] = lane;
    if (ordering === 'per-order' && first && this.#options.runs.hasOrder(first.orderId)) return;
    for (const event of lane) {
      if (isStopped()) return;
      if (this.#isSuspect(event) && this.#isCallable(event)) {
        await this.#options.ledger.countAttempts([event]);
        if (isStopped()) return;
      }
      const pending = this.#handle(event);
      const outcome = pending instanceof Promise ? await pending : pending;
      if (ordering === 'per-order' && outcome === 'hold back') return;
    }
  }

  #handle(event: OrderEvent): Outcome | Promise<Outcome> {
    const { ledger, listeners, maxAttempts, outcomes, runs } = this.#options;
    if (runs.has(event)) return 'hold back';
    if (runs.wasJustHandled(event) || ledger.isHandled(event)) return 'go on';
    if (ledger.attemptsOf(event) >= maxAttempts) {
      const burial = this.#bury(event);
      if (burial === undefined) outcomes.exhausted(event);
      return burial ?? 'hold back';
    }
    const { registrations, busy } = listeners.of(event.eventType);
    if (busy) return 'hold back';
    if (registrations.length === 0) return this.#withoutListeners(event);
    return this.#run(
      new Run(this, event, ledger.attempt(event), ledger.isRedelivered(event)),
      registrations,
      event,
    );
  }

  /** Unhandled, unless it once had listeners: then it failed, and waits for them at the hub. */
  #withoutListeners(event: OrderEvent): Outcome {
    const { ledger, outcomes } = this.#options;
    if (ledger.attemptsOf(event) > 0) {
      outcomes.abandoned(event);
      return 'hold back';
    }
    outcomes.unhandled(event);
    return 'go on';
  }

  async #run(run: Run, registrations: readonly Registration[], subject: unknown): Promise<Outcome> {
    const { listeners, runs } = this.#options;
    const result = inRun(run, () => runListeners(listeners, registrations, subject, run.context));
    const concluded = this.#conclude(run, result);
    const settled = concluded.then(
      () => this.#ended(run),
      () => this.#ended(run),
    );
    runs.add(run, settled);
    // Without asynchronous listeners there is nothing to time out.
    if (!(result instanceof Promise)) return concluded;
    const inTime = await this.#timeouts.watch(result, () => this.#expire(run));
    return inTime === LATE ? 'hold back' : concluded;
  }

  #expire(run: Run): typeof LATE {
    const { outcomes, listenerTimeoutMs } = this.#options;
    const error = new TimeoutError('listener', listenerTimeoutMs);
    this.#giveUp(run, error);
    outcomes.failed(run.event, error, run.attempt);
    return LATE;
  }

  /** The run goes on, but nobody waits for it; for the event it counts as failed until it settles. */
  #giveUp(run: Run, reason: unknown): void {
    run.abort(reason);
    void this.#options.ledger.failed(run.event, reason);
  }

  async #conclude(run: Run, pending: RunResult | Promise<RunResult>): Promise<Outcome> {
    const { outcomes, ledger, maxAttempts } = this.#options;
    const { event, attempt } = run;
    const result = pending instanceof Promise ? await pending : pending;
    if (result.resolved) {
      await outcomes.handled(event);
      return 'go on';
    }
    const mark = ledger.failed(event, result.error);
    if (!run.isEchoOfAbort(result.error)) outcomes.failed(event, result.error, attempt);
    await mark;
    if (run instanceof Burial || attempt < maxAttempts) return 'hold back';
    if (!this.#isHeldUnder(run.context.fence)) return 'hold back';
    return this.#bury(event) ?? 'hold back';
  }

  /** Hands a given-up event to the dead-letter listeners, who decide over it as others do; undefined without any. */
  #bury(event: OrderEvent): Promise<Outcome> | Outcome | undefined {
    const { ledger, listeners } = this.#options;
    const { registrations, busy } = listeners.deadLetter();
    if (busy) return 'hold back';
    if (registrations.length === 0) return undefined;
    const attempts = ledger.attemptsOf(event);
    const letter = { event, attempts, error: ledger.lastErrorOf(event) };
    return this.#run(new Burial(this, event, attempts, true), registrations, letter);
  }

  #isHeldUnder(fence: number): boolean {
    const { lease } = this.#options;
    return lease.isHeld() && lease.fence === fence;
  }

  #ended(run: Run): void {
    run.isOver = true;
    const { runs } = this.#options;
    runs.remove(run);
    if (!runs.has(run.event)) this.#excused.delete(keyOf(run.event));
  }
}

/** The run of dead-letter listeners. */
class Burial extends Run {}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/**
 * Events by order, new orders first, each order's sorted by `createdAt`, then
 * by the lifecycle, then as they came: the standard's `createdAt` may be the
 * order's, the same on all its events.
 */
function lanesOf(events: readonly OrderEvent[]): Lane[] {
  const byOrder = new Map<string, OrderEvent[]>();
  for (const event of events) {
    const others = byOrder.get(event.orderId);
    if (others) others.push(event);
    else byOrder.set(event.orderId, [event]);
  }
  const lanes = [...byOrder.values()].map(inSequence);
  // New orders first: a hub cancels what is not confirmed in time, and reading a thousand takes ten minutes (Spec §8).
  const isNew = ([first]: Lane) => first?.eventType === 'CREATED';
  return [...lanes.filter(isNew), ...lanes.filter((lane) => !isNew(lane))];
}

function inSequence(events: OrderEvent[]): OrderEvent[] {
  if (events.length < 2) return events;
  return events
    .map((event) => ({ event, at: createdAtOf(event), rank: lifecycleRank(event.eventType) }))
    .sort((a, b) => a.at - b.at || a.rank - b.rank)
    .map(({ event }) => event);
}

/** An unreadable date sorts first, or the comparison would depend on the order of arrival. */
function createdAtOf({ createdAt }: OrderEvent): number {
  const at = createdAt === undefined ? Number.NaN : Date.parse(createdAt);
  return Number.isNaN(at) ? 0 : at;
}
