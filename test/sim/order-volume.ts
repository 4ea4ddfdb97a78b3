const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The share of a day's orders in each hour, from midnight on: lunch at 12, dinner at 19 and 20. */
const SHARES = [
  1.5, 0.5, 0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.5, 0.8, 2, 7, 12, 9, 4, 2.5, 2.5, 4, 9, 14, 14, 9, 5, 2.5,
];
const SUM = SHARES.reduce((sum, share) => sum + share, 0);
const LARGEST = Math.max(...SHARES);

/** Orders of one store in the hour that contains this instant, at `perDay` orders a day. */
export const ordersPerHour = (at: number, perDay: number) =>
  ((SHARES[Math.floor(at / HOUR_MS) % 24] as number) / SUM) * perDay;

/** What follows an order, and how many minutes after the previous event: from, to. */
const LIFECYCLE = [
  ['CREATED', 0, 0],
  ['CONFIRMED', 0.5, 3],
  ['READY_FOR_PICKUP', 10, 25],
  ['DISPATCHED', 1, 8],
  ['CONCLUDED', 8, 35],
] as const;

/** How many events an order has. */
export const EVENTS_PER_ORDER = LIFECYCLE.length;

/** Orders that were created up to this long before the simulation still have events in it. */
const LEAD_MS = 75 * MINUTE_MS;

interface FutureEvent {
  readonly at: number;
  readonly type: string;
  readonly order: number;
}

/** The orders of one store with their events, made when they are asked for. */
export class OrderVolume {
  readonly #perDay: number;
  readonly #random: () => number;
  #nextOrderAt: number;
  #orders = 0;
  #future: FutureEvent[] = [];

  constructor(perDay: number, from: number, random: () => number) {
    this.#perDay = perDay;
    this.#random = random;
    this.#nextOrderAt = perDay > 0 ? this.#after(Math.max(0, from - LEAD_MS)) : Number.POSITIVE_INFINITY;
    // Those before were handled by an earlier run.
    this.until(from);
  }

  /** The events since the last call, oldest first. */
  until(now: number): readonly FutureEvent[] {
    while (this.#nextOrderAt <= now) {
      this.#order(this.#nextOrderAt);
      this.#nextOrderAt = this.#after(this.#nextOrderAt);
    }
    if (this.#future.length === 0) return this.#future;
    const due = this.#future.filter(({ at }) => at <= now);
    if (due.length > 0) this.#future = this.#future.filter(({ at }) => at > now);
    return due.sort((one, other) => one.at - other.at);
  }

  #order(createdAt: number): void {
    this.#orders += 1;
    let at = createdAt;
    for (const [type, from, to] of LIFECYCLE) {
      at += (from + this.#random() * (to - from)) * MINUTE_MS;
      this.#future.push({ at, type, order: this.#orders });
    }
  }

  /** A Poisson process whose rate depends on the hour. */
  #after(from: number): number {
    const mostPerMs = ((LARGEST / SUM) * this.#perDay) / HOUR_MS;
    for (let at = from; ; ) {
      at -= Math.log(1 - this.#random()) / mostPerMs;
      if (this.#random() * mostPerMs <= ordersPerHour(at, this.#perDay) / HOUR_MS) return at;
    }
  }
}
