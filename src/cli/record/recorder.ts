import { readEvents } from '../../events/read.js';
import type { EndpointName } from '../../hub/endpoints.js';
import { endpointsOf } from '../../hub/host-endpoints.js';
import type { ResolvedProfile } from '../../hub/profile.js';
import { COMMAND_EVENTS } from '../../orders/already-there.js';
import { isObject, parseJson } from '../../reading/json.js';
import { instantOf } from '../../schemas/date-time.js';
import type { OrderEvent } from '../../schemas/event.js';
import { EVENT_TYPES } from '../../schemas/event-types.js';
import type { Json } from '../../testing/fixtures.js';
import type { RecordedDocument, Recording } from '../../testing/recording.js';
import { type Route, routerOf } from '../../testing/router.js';
import { tokenCredentials } from '../../testing/token-request.js';
import { isSuccess, tokensIn } from '../exchange.js';
import { type SeenCommand, type SeenEvent, settleEffects } from './effects.js';
import { isHarmless } from './harmless.js';
import { Pseudonyms } from './pseudonyms.js';

/** A request of the application and the response of the hub. */
interface Exchanged {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  readonly status: number;
  /** As text, without compression. */
  readonly responseBody: string;
  /** When the request was sent and when the response was complete, in ms after the start of the recording. */
  readonly sentAtMs: number;
  readonly respondedAtMs: number;
}

interface RecorderOptions {
  readonly baseUrl: string;
  readonly basePath: string;
  readonly profile: ResolvedProfile;
  /** Epoch ms. */
  readonly startedAt: number;
}

/** The statuses of a hub that refuses a command because of the order. */
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 409, 422]);
/** Fields of an event that are written anew, in every spelling, and addresses of the real hub: the mock hub makes its own. */
const REPLACED: ReadonlySet<string> = new Set(
  'eventId id eventType status code receivedEventType orderId createdAt orderURL orderUrl'.split(' '),
);

/**
 * Makes a recording of exchanges, without I/O. It keeps documents, events and the names of commands, with pseudonyms;
 * of headers, addresses, request bodies and error bodies it keeps nothing.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #find: ReturnType<typeof routerOf>;
  readonly #pseudonyms = new Pseudonyms();
  /** In capitals. */
  readonly #eventTypes: ReadonlySet<string>;
  readonly #merchants: RecordedDocument[] = [];
  readonly #orders = new Map<string, RecordedDocument[]>();
  readonly #events = new Map<string, SeenEvent>();
  readonly #commands: SeenCommand[] = [];
  readonly #clientIds = new Set<string>();
  #exchanges = 0;
  /** The number of the last poll, and when it ended. */
  #lastPoll = { exchange: 0, atMs: -1 };

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#find = routerOf(options, endpointsOf(options.profile));
    const types = [...EVENT_TYPES, ...options.profile.eventTypes];
    this.#eventTypes = new Set(types.map((type) => type.toUpperCase()));
  }

  /** How many stores have asked for a token. A recording is of one. */
  get stores(): number {
    return this.#clientIds.size;
  }

  /** Undefined: it is not an endpoint of the hub. */
  endpointOf(method: string, path: string): EndpointName | undefined {
    return this.#find(method, path)?.endpoint;
  }

  add(exchange: Exchanged): void {
    this.#exchanges += 1;
    this.#noteSecrets(exchange.headers);
    const route = this.#find(exchange.method, exchange.path);
    if (route?.endpoint === 'token') this.#noteToken(exchange);
    else if (route?.endpoint === 'orderStatus') this.#addCommand(route.parameters, exchange);
    else if (route && isSuccess(exchange)) this.#addResponse(route, exchange);
  }

  /** @param durationMs - of the whole recording. */
  finish(durationMs: number): Recording {
    const { events, commands } = settleEffects(
      [...this.#events.values()],
      this.#commands,
      this.#lastPoll.exchange,
    );
    const orderIds = new Set([
      ...[...this.#events.values()].map(({ event }) => event.orderId as string),
      ...this.#orders.keys(),
      ...commands.map(({ orderId }) => orderId),
    ]);
    return {
      format: 'opendelivery-recording',
      version: 1,
      startedAt: new Date(this.#options.startedAt).toISOString(),
      durationMs: Math.round(durationMs),
      merchants: this.#merchants,
      orders: [...orderIds].map((orderId) => ({ orderId, documents: this.#orders.get(orderId) ?? [] })),
      events,
      commands,
    };
  }

  #addResponse({ endpoint, parameters }: Route, { responseBody, respondedAtMs }: Exchanged): void {
    const document = parseJson(responseBody);
    if (endpoint === 'polling') this.#addPoll(document, respondedAtMs);
    if (!isObject(document)) return;
    if (endpoint === 'merchant') this.#addVersion(this.#merchants, document as Json, respondedAtMs);
    if (endpoint !== 'order') return;
    const id = this.#pseudonyms.of(parameters.orderId ?? '');
    const versions = this.#orders.get(id) ?? [];
    this.#orders.set(id, versions);
    this.#addVersion(versions, document as Json, respondedAtMs);
  }

  #addPoll(received: unknown, respondedAtMs: number): void {
    for (const each of eventsIn(received)) this.#addEvent(each, respondedAtMs);
    this.#lastPoll = { exchange: this.#exchanges, atMs: respondedAtMs };
  }

  #addEvent(received: OrderEvent, respondedAtMs: number): void {
    const { eventId, orderId, createdAt, receivedEventType } = received;
    // A hub may send anything under the name that the client uses for the type as it was sent.
    const eventType = typeof receivedEventType === 'string' ? receivedEventType : received.eventType;
    const id = this.#pseudonyms.of(eventId);
    if (this.#events.has(id)) return;
    const others = Object.entries(received).filter(
      ([name, value]) => !REPLACED.has(name) && value !== undefined,
    );
    // The event was not in the poll before.
    const earliest = Math.min(this.#lastPoll.atMs + 1, respondedAtMs);
    const atMs = Math.min(
      Math.max((instantOf(createdAt) ?? 0) - this.#options.startedAt, earliest),
      respondedAtMs,
    );
    const event = {
      ...this.#pseudonyms.document(Object.fromEntries(others) as Json),
      createdAt: isHarmless('createdAt', createdAt)
        ? (createdAt as string)
        : new Date(this.#options.startedAt + atMs).toISOString(),
      eventId: id,
      eventType: this.#eventTypes.has(eventType.toUpperCase()) ? eventType : this.#pseudonyms.of(eventType),
      orderId: this.#pseudonyms.of(orderId),
    };
    this.#events.set(id, { atMs, seenAtMs: respondedAtMs, exchange: this.#exchanges, event });
  }

  #addCommand({ orderId = '', status: command = '' }: Route['parameters'], exchange: Exchanged): void {
    const { method, status, sentAtMs } = exchange;
    // What is wrong for a moment, or with the credentials, says nothing about the order.
    const isAnswer = isSuccess(exchange) || REFUSALS.has(status);
    if (method !== 'POST' || !isAnswer || !COMMAND_EVENTS.has(command)) return;
    this.#commands.push({
      orderId: this.#pseudonyms.of(orderId),
      command,
      status,
      atMs: sentAtMs,
      exchange: this.#exchanges,
    });
  }

  #addVersion(versions: RecordedDocument[], received: Json, atMs: number): void {
    const document = this.#pseudonyms.document(received);
    const last = versions.at(-1)?.document;
    const comparable = (each: Json | undefined) => JSON.stringify({ ...each, lastEvent: undefined });
    if (last && comparable(last) === comparable(document)) return;
    versions.push({ atMs: versions.length === 0 ? 0 : atMs, document });
  }

  #noteSecrets(headers: Headers): void {
    this.#pseudonyms.addSecret(headers.get('x-api-key') ?? '');
    this.#pseudonyms.addSecret(/\S+$/.exec(headers.get('authorization') ?? '')?.[0] ?? '');
  }

  #noteToken(exchange: Exchanged): void {
    const { clientId, clientSecret } = tokenCredentials(exchange, this.#options.profile.token);
    if (clientId !== undefined) this.#clientIds.add(clientId);
    this.#pseudonyms.addSecret(clientSecret ?? '');
    for (const token of tokensIn(exchange.responseBody)) this.#pseudonyms.addSecret(token);
  }
}

/** Those that the application can read, too. */
function eventsIn(body: unknown): readonly OrderEvent[] {
  try {
    return readEvents(body ?? null, String).events;
  } catch {
    return [];
  }
}
