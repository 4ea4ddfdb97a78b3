import type { EndpointName } from '../../hub/endpoints.js';
import { isObject } from '../../reading/json.js';
import { type Duration, durationMs } from '../../testing/duration.js';
import type { Json } from '../../testing/fixtures.js';
import type { JournalEntry } from '../../testing/journal.js';
import type { MockHub } from '../../testing/mock-hub.js';
import { orderFixture } from '../../testing/orders.js';
import { commandOf } from '../../testing/router.js';
import type { Clock } from '../../time/clock.js';
import type { Application } from './application.js';
import type { OrderData } from './script.js';
import type { Language, Texts } from './texts.js';
import type { Watch } from './watch.js';

/** An order of the rehearsal, as the hub has it. */
export interface PlayedOrder {
  readonly orderId: string;
  readonly number: string;
  readonly document: Json;
}

/** What every item of a rehearsal uses: the hub, the application, and what has happened between them. */
export interface Stage {
  readonly mock: MockHub;
  readonly clock: Clock;
  readonly scale: number;
  readonly application: Application;
  /** Where the application receives pushes; undefined: not known. */
  readonly pushUrl: string | undefined;
  readonly watch: Watch;
  readonly signal: AbortSignal;
  /** Events whose acknowledgment was waited for in vain: nobody waits for them again. */
  readonly overdue: Set<string>;
  readonly language: Language;
  readonly texts: Texts;
}

/** The requests with a command of an order, oldest first. */
export function commandsOf({ mock }: Stage, orderId: string, command: string): JournalEntry[] {
  return mock.requests.filter((entry) => {
    const { name, orderId: id } = commandOf(entry);
    return id === orderId && name === command;
  });
}

export const requestsTo = ({ mock }: Stage, endpoint: EndpointName): JournalEntry[] =>
  mock.requests.filter((entry) => entry.endpoint === endpoint);

/** Creates an order, which emits CREATED. */
export function createOrder({ mock, clock }: Stage, { document = {}, ...kind }: OrderData): PlayedOrder {
  const orderId = crypto.randomUUID();
  const fixture = orderFixture(orderId, '', new Date(clock.now()).toISOString(), kind);
  const overlay = overlaid(fixture, document, clock.now()) as Json;
  // Only these keys: the mock hub fills the others as the host would.
  const given = Object.fromEntries(Object.keys(document).map((key) => [key, overlay[key]]));
  const { order } = mock.createOrder({ ...given, ...kind, orderId });
  return { orderId, number: String(order.displayId), document: order };
}

const DAY_MS = durationMs('1d');

/** The fields of one object over those of another. `{ day: 2, at: '15:47' }` becomes the instant. */
function overlaid(below: unknown, above: unknown, now: number): unknown {
  if (Array.isArray(above)) return above.map((each) => overlaid(undefined, each, now));
  if (!isObject(above)) return above;
  const { day, at } = above;
  if (typeof day === 'number' && typeof at === 'string') {
    return `${new Date(now + day * DAY_MS).toISOString().slice(0, 10)}T${at}:00.000Z`;
  }
  const fields = isObject(below) ? below : {};
  const entries = Object.entries(above).map(([key, each]) => [key, overlaid(fields[key], each, now)]);
  return { ...fields, ...Object.fromEntries(entries) };
}

/** How long an expectation is waited for, in time of the hub. */
export const PATIENCE: Duration = '3m';
