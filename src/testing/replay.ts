import { COMMAND_EVENTS } from '../orders/already-there.js';
import { startTimer } from '../time/clock.js';
import type { Json } from './fixtures.js';
import type { HubState } from './hub-state.js';
import type { MockOrder, MockStore } from './mock-store.js';
import { applyEvent, describeState } from './order-lifecycle.js';
import type { RecordedCommand, RecordedEvent, RecordedOrder, Recording } from './recording.js';
import { type MockResponse, problem } from './response.js';

/** Something that the hub did, at an instant of its monotonic clock. */
interface Step {
  readonly at: number;
  readonly run: () => void;
}

/**
 * Plays a recording at the first store. What the real hub did by itself happens at its recorded offset, what it did
 * after a command happens after that command. At speed 0 a step that is due now waits for a look at the state.
 */
export class Replay {
  readonly #recording: Recording;
  readonly #hub: HubState;
  #steps: Step[] = [];
  #cancelTimer = () => {};
  /** Accepted commands that have had their effect, and refusals after which the recording has another response. */
  readonly #done = new Set<RecordedCommand>();

  constructor(recording: Recording, hub: HubState) {
    this.#recording = recording;
    this.#hub = hub;
    this.restart();
  }

  /** Begins the evening now, at a store without orders. */
  restart(): void {
    const { merchants, orders, events } = this.#recording;
    const startedAt = this.#now();
    const at = (atMs: number, run: () => void): Step => ({ at: startedAt + atMs, run });
    const firstEvents = new Map(events.toReversed().map((each) => [each.event.orderId, each]));
    this.#done.clear();
    this.#steps = [
      ...merchants.map(({ atMs, document }) => at(atMs, () => this.#publish(document))),
      ...orders.map((order) => {
        const first = firstEvents.get(order.orderId);
        return at(first?.atMs ?? 0, () => this.#create(order, first));
      }),
      ...orders.flatMap(({ orderId, documents }) =>
        documents.slice(1).map(({ atMs, document }) => at(atMs, () => this.#change(orderId, document))),
      ),
      ...events.map(({ atMs, event }) => at(atMs, () => this.#emit(event))),
    ];
    this.#schedule();
  }

  /** Does what has become due. */
  advance(): void {
    const now = this.#now();
    for (let next = this.#steps[0]; next && next.at <= now; next = this.#steps[0]) {
      this.#steps.shift();
      next.run();
    }
  }

  /** The recorded response to a command in this state of the order; undefined: the recording has none. */
  command(orderId: string, name: string, { state }: MockOrder): MockResponse | undefined {
    const described = describeState(state);
    const [recorded, next] = this.#recording.commands.filter(
      (each) =>
        each.orderId === orderId &&
        each.command === name &&
        each.state === described &&
        !this.#done.has(each),
    );
    if (!recorded) return undefined;
    const { status, events } = recorded;
    // The last refusal holds as long as the order stays in this state.
    if (status < 300 || next) this.#done.add(recorded);
    if (status >= 300) return problem(status, 'the hub refused this command in the recording');
    const now = this.#now();
    // A hub may emit no event for a command.
    if (events.every(({ atMs }) => atMs > 0)) {
      applyEvent(state, COMMAND_EVENTS.get(name) as string);
      this.#store.unanswered.changed(orderId, state);
    }
    this.#steps.push(...events.map(({ atMs, event }) => ({ at: now + atMs, run: () => this.#emit(event) })));
    this.#schedule();
    this.advance();
    return { status };
  }

  /** A step also happens if nobody looks: a push waits for it. The sort is stable, for steps of one instant. */
  #schedule(): void {
    this.#steps.sort((one, other) => one.at - other.at);
    this.#cancelTimer();
    const [next] = this.#steps;
    if (!next) return;
    const onDue = () => {
      this.advance();
      this.#schedule();
    };
    const waitMs = Math.max(0, next.at - this.#now());
    this.#cancelTimer = startTimer(this.#hub.options.clock, waitMs, onDue, true);
  }

  #now(): number {
    return this.#hub.options.clock.monotonic();
  }

  get #store(): MockStore {
    return this.#hub.stores.default;
  }

  #publish(document: Json): void {
    this.#store.merchant = structuredClone(document);
  }

  #create({ orderId, documents }: RecordedOrder, first: RecordedEvent | undefined): void {
    const { merchantId, eventType } = first?.event ?? {};
    const document = structuredClone(documents[0]?.document);
    this.#hub.addOrder(this.#store, orderId, document, merchantId as string | undefined);
    if (eventType === 'CREATED') this.#store.unanswered.created(orderId);
  }

  #change(orderId: string, document: Json): void {
    const order = this.#store.orders.get(orderId);
    if (!order) return;
    const { lastEvent } = order.document;
    const changed = { ...structuredClone(document), ...(lastEvent !== undefined && { lastEvent }) };
    this.#store.orders.set(orderId, { ...order, document: changed });
  }

  #emit({ eventType, ...event }: Json): void {
    this.#hub.emitTo(this.#store, eventType as string, structuredClone(event));
  }
}
