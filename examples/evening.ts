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

/** At this speed the evening takes about 15 seconds. */
const SCALE = 400;

/** The event types of an order that is not cancelled, in lifecycle order. */
const STAGES: readonly string[] = EVENT_TYPES.slice(0, EVENT_TYPES.indexOf('CANCELLED'));

/** Simulates a restaurant's evening with an embedded mock hub, and then checks that no event was lost. */
export class Evening {
  readonly clientOptions: HubClientOptions;
  readonly #mock: MockHub;
  readonly #server: ListeningHub;
  readonly #clock: Clock;
  readonly #script: Promise<void>;
  #printed = 0;

  private constructor(mock: MockHub, server: ListeningHub, clock: Clock) {
    this.#mock = mock;
    this.#server = server;
    this.#clock = clock;
    this.clientOptions = {
      baseUrl: server.url,
      ...mock.credentials,
      clock,
      logger: false,
      // At 400 times the speed, a short pause of this machine would exceed the default time limit.
      timeoutMs: 60 * MINUTE_MS,
    };
    this.#script = playEvening(mock, clock);
  }

  static async start(): Promise<Evening> {
    const clock = scaledClock(SCALE);
    const mock = createMockHub({
      clock,
      latencyMs: () => 100 + Math.random() * 900,
      unansweredAfterMs: 60 * MINUTE_MS, // for the same reason as timeoutMs
    });
    return new Evening(mock, await mock.listen(), clock);
  }

  /** Simulates the kitchen printer. It fails once, at the third order. */
  print(_orderId: string): void {
    this.#printed += 1;
    if (this.#printed === 3) throw new Error('the printer is out of paper');
  }

  /** Resolves when the script has ended and all events are acknowledged, at most two simulated hours after the script. */
  async end(): Promise<void> {
    await this.#script;
    for (let minute = 0; minute < 120 && this.#mock.pending().length > 0; minute += 1) {
      await this.#clock.sleep(MINUTE_MS);
    }
  }

  /** Prints a summary. Returns false if an event was lost, saved too late or acknowledged too early. */
  async check(table: Table): Promise<boolean> {
    const mock = this.#mock;
    await this.#server.close();
    const acknowledgedAt = firstAcknowledgments(mock);
    const problems = [
      ...missingEvents(mock, table, acknowledgedAt),
      ...unorderedRows(table),
      ...mock.violations().map(({ rule, message }) => `broken rule '${rule}': ${message}`),
    ];
    const count = (endpoint: string) =>
      mock.requests.filter((request) => request.endpoint === endpoint).length;
    const emitted = mock.emitted();
    const orderIds = new Set(emitted.map(({ orderId }) => orderId));
    console.log(`
summary
  emitted by the hub     ${emitted.length} events of ${orderIds.size} orders
  saved by the app       ${table.rows.length}
  acknowledged           ${acknowledgedAt.size} in ${count('acknowledgment')} requests
  requests               ${count('token')} token, ${count('polling')} polls, ${count('merchant')} menu, ${count('order')} orders, ${count('orderStatus')} commands
  broken rules           ${mock.violations().length}
  ${problems.length === 0 ? 'every event was saved before it was acknowledged, and none is missing' : `${problems.length} PROBLEMS`}`);
    for (const problem of problems.slice(0, 20)) console.log(`  - ${problem}`);
    return problems.length === 0;
  }
}

/** When each event was first acknowledged, on the monotonic clock. */
function firstAcknowledgments(mock: MockHub): Map<string, number> {
  const acknowledgedAt = new Map<string, number>();
  for (const { acknowledged = [], monotonicAt } of mock.requests) {
    for (const id of acknowledged) if (!acknowledgedAt.has(id)) acknowledgedAt.set(id, monotonicAt);
  }
  return acknowledgedAt;
}

/** Compares the emitted events with the polled, saved and acknowledged ones. */
function* missingEvents(
  mock: MockHub,
  table: Table,
  acknowledgedAt: ReadonlyMap<string, number>,
): Generator<string> {
  const rows = new Map(table.rows.map((row) => [row.eventId, row]));
  const polled = new Set(mock.requests.flatMap(({ events = [] }) => events.map(({ eventId }) => eventId)));
  const emitted = mock.emitted();
  for (const { eventId, eventType } of emitted) {
    const event = `${eventType} ${eventId}`;
    const row = rows.get(eventId);
    const at = acknowledgedAt.get(eventId);
    if (!polled.has(eventId)) yield `${event} was never polled`;
    if (!row) yield `${event} is not in the table`;
    if (at === undefined) yield `${event} was never acknowledged`;
    if (row && at !== undefined && at < row.writtenAt) yield `${event} was acknowledged before it was saved`;
  }
  const emittedIds = new Set(emitted.map(({ eventId }) => eventId));
  for (const { eventId } of table.rows) {
    if (!emittedIds.has(eventId)) yield `${eventId} is in the table, but was not emitted`;
  }
}

/** Finds events that were saved after a later event of the same order. */
function* unorderedRows(table: Table): Generator<string> {
  const stages = new Map<string, number>();
  for (const { orderId, eventType, eventId } of table.rows) {
    const stage = STAGES.indexOf(eventType);
    if (stage === -1) continue;
    if (stage < (stages.get(orderId) ?? -1)) yield `${eventType} ${eventId} was saved too late`;
    stages.set(orderId, stage);
  }
}
