import type { EndpointName } from '../../hub/endpoints.js';
import { isObject } from '../../reading/json.js';
import { type Duration, durationMs } from '../../testing/duration.js';
import type { Json } from '../../testing/fixtures.js';
import type { JournalEntry } from '../../testing/journal.js';
import type { MockHub } from '../../testing/mock-hub.js';
import type { HubEvent } from '../../testing/mock-store.js';
import { orderFixture } from '../../testing/orders.js';
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

export const isSuccess = ({ status = 0 }: JournalEntry): boolean => status >= 200 && status < 300;

/** The requests with a command of an order, oldest first. */
export function commandsOf({ mock }: Stage, orderId: string, command?: string): JournalEntry[] {
  return mock.requests.filter(({ endpoint, path }) => {
    if (endpoint !== 'orderStatus') return false;
    const [last, id] = decodeURIComponent(path.split('?', 1)[0] as string)
      .split('/')
      .reverse();
    return id === orderId && (command === undefined || last === command);
  });
}

export const requestsTo = ({ mock }: Stage, endpoint: EndpointName): JournalEntry[] =>
  mock.requests.filter((entry) => entry.endpoint === endpoint);

export const pendingOf = ({ mock }: Stage, orderId: string): HubEvent[] =>
  mock.pending().filter((event) => event.orderId === orderId);

/** Creates an order, which emits CREATED. */
export function createOrder({ mock, clock }: Stage, { document = {}, ...kind }: OrderData): PlayedOrder {
  const orderId = crypto.randomUUID();
  const fixture = orderFixture(orderId, '', new Date(clock.now()).toISOString(), kind);
  const overlay = overlaid(fixture, withInstants(document, clock.now())) as Json;
  // Only these keys: the mock hub fills the others as the host would.
  const given = Object.fromEntries(Object.keys(document).map((key) => [key, overlay[key]]));
  const { order } = mock.createOrder({ ...given, ...kind, orderId });
  return { orderId, number: String(order.displayId), document: order };
}

/** The fields of one object over those of another. */
function overlaid(below: unknown, above: unknown): unknown {
  if (!isObject(below) || !isObject(above)) return above;
  const keys = new Set([...Object.keys(below), ...Object.keys(above)]);
  return Object.fromEntries(
    [...keys].map((key) => [key, key in above ? overlaid(below[key], above[key]) : below[key]]),
  );
}

const DAY_MS = durationMs('1d');

/** `{ day: 2, at: '15:47' }` becomes the instant. */
function withInstants(value: unknown, now: number): unknown {
  if (Array.isArray(value)) return value.map((each) => withInstants(each, now));
  if (!isObject(value)) return value;
  const { day, at } = value;
  if (typeof day === 'number' && typeof at === 'string') {
    return `${new Date(now + day * DAY_MS).toISOString().slice(0, 10)}T${at}:00.000Z`;
  }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withInstants(each, now)]));
}

/** How long expectations are waited for unless they say it. */
export const PATIENCE: Duration = '3m';
