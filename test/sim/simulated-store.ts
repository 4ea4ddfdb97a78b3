import type { FleetStore } from 'opendelivery-client';
import type { Machine } from './machine.js';
import type { OrderVolume } from './order-volume.js';

/** An event that the hub has and that is not acknowledged. */
export interface SimulatedEvent {
  readonly eventId: string;
  readonly eventType: string;
  readonly orderId: string;
  readonly createdAt: number;
  /** When its listener resolved. */
  handledAt: number | undefined;
  /** The process whose listener resolved. */
  handledBy: Machine | undefined;
}

const MINUTE_MS = 60_000;

/** Spec §8. */
const POLLS_PER_MINUTE = 2;
const TOKENS_PER_HOUR = 10;

/** One store as the hub sees it. It checks the hub's limits. */
export class SimulatedStore {
  readonly account: FleetStore;
  readonly pending = new Map<string, SimulatedEvent>();
  readonly #number: number;
  readonly #volume: OrderVolume;
  readonly #onViolation: (message: string) => void;
  #events = 0;
  #tokens = 0;
  #pollsAt: number[] = [];
  #tokensAt: number[] = [];
  /** The process of the last poll; undefined if that failed. */
  lastMachine: Machine | undefined;
  lastSentAt = Number.NaN;
  /** When the responses of the last two polls were there. */
  lastRespondedAt = Number.NaN;
  previousRespondedAt = Number.NaN;
  /** When the last good poll was sent. */
  goodAt: number | undefined;

  constructor(number: number, volume: OrderVolume, onViolation: (message: string) => void) {
    this.#number = number;
    this.#volume = volume;
    this.#onViolation = onViolation;
    this.account = {
      storeId: `store-${number}`,
      clientId: String(1000 + number),
      clientSecret: `secret-of-store-${number}`,
    };
  }

  /** A token as long as one with claims. */
  issueToken(now: number): string {
    this.#tokens += 1;
    this.#tokensAt = this.#tokensAt.filter((at) => at > now - 60 * MINUTE_MS).concat(now);
    if (this.#tokensAt.length > TOKENS_PER_HOUR) this.#violated('tokens');
    return this.#tokenOf(this.#tokens);
  }

  /** Whether it is the last token or the one before, which is valid until it ends. */
  hasToken(header: string | undefined): boolean {
    const last = this.#tokens;
    return [last, last - 1].some((number) => number > 0 && header === `Bearer ${this.#tokenOf(number)}`);
  }

  /** Not kept: a hundred thousand of them would be most of the memory. */
  #tokenOf(number: number): string {
    return `${this.#number}.${number}.`.padEnd(600, 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjE2');
  }

  countPoll(now: number): void {
    this.#pollsAt = this.#pollsAt.filter((at) => at > now - MINUTE_MS).concat(now);
    if (this.#pollsAt.length > POLLS_PER_MINUTE) this.#violated('polls');
  }

  /** Everything that is not acknowledged, oldest first. */
  poll(now: number): Iterable<SimulatedEvent> {
    for (const { at, type, order } of this.#volume.until(now)) {
      this.#events += 1;
      const eventId = `${this.#number}-${this.#events}`;
      this.pending.set(eventId, {
        eventId,
        eventType: type,
        orderId: `${this.#number}-order-${order}`,
        createdAt: at,
        handledAt: undefined,
        handledBy: undefined,
      });
    }
    return this.pending.values();
  }

  acknowledge(eventId: string): void {
    const event = this.pending.get(eventId);
    if (event && event.handledAt === undefined) this.#violated(`acknowledged unhandled ${eventId}`);
    this.pending.delete(eventId);
  }

  #violated(what: string): void {
    this.#onViolation(`${this.account.storeId}: ${what}`);
  }
}
