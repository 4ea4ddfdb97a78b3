import { ManualClock } from 'opendelivery-client/testing';
import { type Emission, type HostileHub, keyOf, type NewEmission, WATCHED_TYPES } from './hostile-hub.js';
import type { Watch } from './watch.js';

/** Two types that the hub adds: one has listeners, the other has none. */
const OWN_TYPES = ['SOMETHING_NEW', 'UNWATCHED'];

const TYPES = [...WATCHED_TYPES].filter((type) => type !== 'CREATED').concat(OWN_TYPES);

/** Three days after the start of a `ManualClock`: a push may be that much ahead. */
const FIRST_DATE = new ManualClock().now() + 72 * 3_600_000;

export interface TrafficParts {
  readonly hostile: HostileHub;
  readonly watch: Watch;
  readonly draw: () => number;
  /** Called with each event that the hub emits. */
  readonly onEmitted: (emission: Emission) => void;
  /** Share of the events that have the id of an earlier one: 0 to 1. */
  readonly reuseRate: number;
}

/** Emits the events of a schedule. */
export class Traffic {
  readonly #parts: TrafficParts;
  readonly #orders: string[] = [];
  /** Counts the dates: the events of an order must be handled in this sequence. */
  #places = 0;
  /** Events with an id that an earlier one had. */
  reused = 0;

  constructor(parts: TrafficParts) {
    this.#parts = parts;
  }

  get lastOrder(): string | undefined {
    return this.#orders.at(-1);
  }

  createOrder(): void {
    const { hostile, watch } = this.#parts;
    const emission = hostile.createOrder();
    watch.emitted(emission, 0);
    this.#parts.onEmitted(emission);
    this.#orders.push(emission.orderId);
  }

  /** Emits an event of a random order, if there is one. */
  emit(): void {
    const { hostile, watch, draw, reuseRate } = this.#parts;
    if (this.#orders.length === 0) return;
    if (draw() < reuseRate) {
      this.#emitReused();
      return;
    }
    const event: NewEmission = {
      eventType: this.#pick(TYPES),
      orderId: this.#pick(this.#orders),
      createdAt: this.#nextDate(),
    };
    const emission = hostile.emit(event);
    watch.emitted(emission, this.#places);
    this.#parts.onEmitted(emission);
  }

  /** Emits another event with the id of an earlier one, often of one that is still at the hub. */
  #emitReused(): void {
    const { hostile, watch, draw } = this.#parts;
    const earlier = this.#pick(draw() < 0.6 ? hostile.emissions.slice(-4) : hostile.emissions);
    const kind = draw();
    const isNewDate = kind < 0.25 || draw() < 0.3;
    const event = {
      ...this.#changed(earlier, kind),
      createdAt: isNewDate ? this.#nextDate() : earlier.createdAt,
    };
    if (watch.isKnown(keyOf({ ...event, eventId: earlier.eventId }))) return;
    this.reused += 1;
    watch.emitted(hostile.emit(event, earlier), isNewDate ? this.#places : undefined);
  }

  /** Another type, order or metadata. */
  #changed({ eventType, orderId, metadata }: Emission, kind: number): Omit<NewEmission, 'createdAt'> {
    const same = { eventType: eventType.toUpperCase(), orderId, ...(metadata && { metadata }) };
    if (kind < 0.25) return same;
    if (kind < 0.5) return { ...same, eventType: this.#pick(TYPES) };
    if (kind < 0.75) return { ...same, orderId: this.#pick(this.#orders) };
    return { ...same, metadata: { reason: `reason ${this.#places}`, draw: this.#parts.draw() } };
  }

  /** Dates that do not depend on the clock, so that its steps do not change the sequence: later than each CREATED. */
  #nextDate(): string {
    this.#places += 1;
    return new Date(FIRST_DATE + this.#places * 1000).toISOString();
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#parts.draw() * list.length)] as T;
  }
}
