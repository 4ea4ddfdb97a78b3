import { type Clock, EVENT_TYPES, type HubClientOptions } from 'opendelivery-client';
import {
  createMockHub,
  type ListeningHub,
  type MockHub,
  playEvening,
  scaledClock,
} from 'opendelivery-client/testing';
import type { Table } from './table.js';

const MINUTE_MS = 60_000;

/** An evening passes in some fifteen seconds. */
const SCALE = 400;

/** Plays a restaurant's evening at an embedded mock hub, and checks at its end that nothing was lost. */
export class Evening {
  readonly clientOptions: HubClientOptions;
  readonly #mock: MockHub;
  readonly #server: ListeningHub;
  readonly #clock: Clock;
  readonly #script: Promise<void>;
  #paper = 2;

  private constructor(mock: MockHub, server: ListeningHub, clock: Clock) {
    this.#mock = mock;
    this.#server = server;
    this.#clock = clock;
    this.clientOptions = {
      baseUrl: server.url,
      ...mock.credentials,
      clock,
      logger: false,
      // A hiccup of this machine is long at 400 times the speed.
      timeoutMs: 60 * MINUTE_MS,
    };
    this.#script = playEvening(mock, clock);
  }

  static async begin(scale = SCALE): Promise<Evening> {
    const clock = scaledClock(scale);
    const mock = createMockHub({ clock, latencyMs: () => 100 + Math.random() * 900 });
    return new Evening(mock, await mock.listen(), clock);
  }

  /** The kitchen printer: jams at the third order, once. */
  print(_orderId: string): void {
    this.#paper -= 1;
    if (this.#paper === -1) throw new Error('the printer is out of paper');
  }

  /** The script is over, and every event it led to is confirmed or the client has had time enough. */
  async end(): Promise<void> {
    await this.#script;
    for (let minute = 0; minute < 120 && this.#mock.pending().length > 0; minute += 1) {
      await this.#clock.sleep(MINUTE_MS);
    }
  }

  /**
   * Compares, event by event, what the hub emitted, what the application has
   * written, and what was confirmed in which order.
   */
  async audit(table: Table): Promise<boolean> {
    const mock = this.#mock;
    await this.#server.close();
    const faults: string[] = [];
    const rows = new Map(table.rows.map((row) => [row.eventId, row]));
    const confirmations = mock.requests.filter(({ endpoint }) => endpoint === 'acknowledgment');
    const confirmedAt = new Map<string, number>();
    for (const { acknowledged = [], monotonicAt } of confirmations) {
      for (const id of acknowledged) if (!confirmedAt.has(id)) confirmedAt.set(id, monotonicAt);
    }
    const handedOut = new Set(
      mock.requests.flatMap(({ events = [] }) => events.map(({ eventId }) => eventId)),
    );
    const emitted = mock.emitted();
    for (const { eventId, eventType } of emitted) {
      const event = `${eventType} ${eventId}`;
      const row = rows.get(eventId);
      const at = confirmedAt.get(eventId);
      if (!handedOut.has(eventId)) faults.push(`${event} was never polled`);
      if (!row) faults.push(`${event} is not in the table`);
      if (at === undefined) faults.push(`${event} was never confirmed`);
      if (row && at !== undefined && at < row.writtenAt)
        faults.push(`${event} was confirmed before it was written`);
    }
    for (const { eventId } of table.rows) {
      if (!emitted.some((event) => event.eventId === eventId))
        faults.push(`${eventId} is in the table, but was never emitted`);
    }
    const rank = new Map<string, number>(EVENT_TYPES.map((type, index) => [type, index]));
    const lastOf = new Map<string, number>();
    for (const { orderId, eventType, eventId } of table.rows) {
      const here = rank.get(eventType) ?? 0;
      if (here < (lastOf.get(orderId) ?? -1) && here <= 9)
        faults.push(`${eventType} ${eventId} was written too late`);
      lastOf.set(orderId, here <= 9 ? here : (lastOf.get(orderId) ?? -1));
    }
    for (const { rule, message } of mock.violations()) faults.push(`broken rule '${rule}': ${message}`);

    const count = (endpoint: string) =>
      mock.requests.filter((request) => request.endpoint === endpoint).length;
    console.log(`
summary
  emitted by the hub     ${emitted.length} events of ${new Set(emitted.map(({ orderId }) => orderId)).size} orders
  written by the app     ${table.rows.length}
  confirmed at the hub   ${confirmedAt.size} in ${confirmations.length} requests
  requests               ${count('token')} token, ${count('polling')} polls, ${count('merchant')} menu, ${count('order')} orders, ${count('orderStatus')} commands
  limits broken          ${mock.violations().length}
  ${faults.length === 0 ? 'every event was written before it was confirmed, and none is missing' : `${faults.length} FAULTS`}`);
    for (const fault of faults.slice(0, 20)) console.log(`  - ${fault}`);
    return faults.length === 0;
  }
}
