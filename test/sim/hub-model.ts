import type { Fetch, FetchInit, FetchResponse } from 'opendelivery-client';
import type { Agenda } from './agenda.js';
import type { Figures } from './figures.js';
import { EPOCH_MS, type Machine } from './machine.js';
import { type Latency, latencyOf } from './random.js';
import type { SimulatedEvent, SimulatedStore } from './simulated-store.js';

export interface HubModelOptions {
  readonly agenda: Agenda;
  readonly random: () => number;
  readonly latency: Latency;
  /** CPU time of a process for a request and its response, in ms. */
  readonly requestMs: number;
  readonly figures: () => Figures;
  readonly onViolation: (message: string) => void;
}

/** How a hub fails: refuses connections, accepts them and never responds, or responds with 503. */
export type Outage = 'refuses' | 'hangs' | '503';

const INTERVAL_MS = 30_000;
const WINDOW_MS = 60_000;

/** The hub of all stores: tokens, polls, acknowledgments and orders, and nothing else of a real one. */
export class HubModel {
  readonly #options: HubModelOptions;
  readonly #byClientId = new Map<string, SimulatedStore>();
  readonly #byNumber: SimulatedStore[] = [];
  outage: Outage | undefined;
  inFlight = 0;

  constructor(options: HubModelOptions) {
    this.#options = options;
  }

  add(store: SimulatedStore): void {
    this.#byClientId.set(store.account.clientId, store);
    this.#byNumber.push(store);
  }

  /** A listener has resolved. */
  handled(storeId: string, eventId: string, machine: Machine): void {
    const { agenda, figures, onViolation } = this.#options;
    const event = this.#byNumber[Number(storeId.slice('store-'.length))]?.pending.get(eventId);
    if (!event || (event.handledBy && !event.handledBy.isKilled)) onViolation(`${eventId}: handled twice`);
    if (!event) return;
    event.handledAt = agenda.now;
    event.handledBy = machine;
    figures().handled += 1;
    figures().handledAfter.add(agenda.now - event.createdAt);
  }

  /** The network of one process. */
  fetchOf(machine: Machine): Fetch {
    return (url, init) =>
      new Promise((resolve, reject) => {
        machine.spend(this.#options.requestMs);
        const end = this.#count(machine);
        const onAbort = () => {
          end();
          reject(init.signal.reason);
        };
        init.signal.addEventListener('abort', onAbort, { once: true });
        const settle = (after: number, settled: () => void) =>
          machine.at(after, () => {
            init.signal.removeEventListener('abort', onAbort);
            end();
            settled();
          });
        this.#exchange(machine, url, init, resolve, reject, settle);
      });
  }

  #count(machine: Machine): () => void {
    const figures = this.#options.figures();
    let isOver = false;
    this.inFlight += 1;
    machine.inFlight += 1;
    figures.mostInFlight = Math.max(figures.mostInFlight, this.inFlight);
    figures.mostInFlightOfOne = Math.max(figures.mostInFlightOfOne, machine.inFlight);
    return () => {
      if (isOver) return;
      isOver = true;
      this.inFlight -= 1;
      machine.inFlight -= 1;
    };
  }

  #exchange(
    machine: Machine,
    url: string,
    init: FetchInit,
    resolve: (response: FetchResponse) => void,
    reject: (error: unknown) => void,
    settle: (after: number, settled: () => void) => void,
  ): void {
    const { agenda, latency, random } = this.#options;
    const halfMs = latencyOf(latency, random) / 2;
    const sentAt = machine.monotonic();
    const isPoll = url.endsWith('polling');
    const store = isPoll ? this.#storeOf(init) : undefined;
    if (store) this.#sent(store, machine, sentAt);
    if (this.outage === 'refuses') {
      if (store) store.lastMachine = undefined;
      settle(sentAt + halfMs, () => reject(refused()));
      return;
    }
    agenda.at(sentAt + halfMs, () => {
      const { outage } = this;
      if (outage !== undefined || (store && !store.hasToken(init.headers.authorization))) {
        if (store) store.lastMachine = undefined;
        if (outage === 'hangs') return;
        const status = outage === undefined ? 401 : 503;
        settle(agenda.now + halfMs, () => resolve(responseOf(status)));
        return;
      }
      const response = store ? this.#poll(store, sentAt) : this.#respond(url, init);
      settle(agenda.now + halfMs, () => {
        if (store) {
          store.previousRespondedAt = store.lastRespondedAt;
          store.lastRespondedAt = agenda.now;
        }
        resolve(response);
      });
    });
  }

  /** Measures how late the poll is. Only a poll after two good ones of the same process has a known instant. */
  #sent(store: SimulatedStore, machine: Machine, sentAt: number): void {
    const figures = this.#options.figures();
    figures.polls += 1;
    const second = Math.floor(sentAt / 1000);
    figures.pollsPerSecond.set(second, (figures.pollsPerSecond.get(second) ?? 0) + 1);
    if (store.lastMachine === machine && store.previousRespondedAt > 0) {
      const allowedAt = Math.max(store.lastSentAt + INTERVAL_MS, store.previousRespondedAt + WINDOW_MS);
      figures.late.add(Math.max(0, sentAt - allowedAt));
    }
    if (store.lastMachine !== machine) {
      store.lastRespondedAt = Number.NaN;
      store.previousRespondedAt = Number.NaN;
    }
    store.lastMachine = machine;
    store.lastSentAt = sentAt;
  }

  #poll(store: SimulatedStore, sentAt: number): FetchResponse {
    const { agenda, figures } = this.#options;
    store.countPoll(agenda.now);
    if (store.goodAt !== undefined) figures().gaps.add(sentAt - store.goodAt);
    store.goodAt = sentAt;
    const events = [...store.poll(agenda.now)];
    return events.length === 0 ? responseOf(204) : responseOf(200, JSON.stringify(events.map(wireEvent)));
  }

  #respond(url: string, init: FetchInit): FetchResponse {
    const { agenda, figures, onViolation } = this.#options;
    if (url.endsWith('token')) {
      const store = this.#byClientId.get(new URLSearchParams(init.body).get('client_id') ?? '');
      figures().tokens += 1;
      const token = {
        access_token: store?.issueToken(agenda.now),
        expires_in: 604_800,
        token_type: 'bearer',
      };
      return responseOf(200, JSON.stringify(token));
    }
    const store = this.#storeOf(init);
    if (!store?.hasToken(init.headers.authorization)) return responseOf(401);
    if (url.endsWith('acknowledgment')) {
      const items = JSON.parse(init.body ?? '[]') as readonly { readonly id: string }[];
      if (items.length === 0 || items.length > 100) onViolation(`acknowledgment of ${items.length} events`);
      for (const { id } of items) store.acknowledge(id);
      figures().acknowledgments += 1;
      return responseOf(202);
    }
    return responseOf(200, orderOf(url.slice(url.lastIndexOf('/') + 1)));
  }

  #storeOf({ headers }: FetchInit): SimulatedStore | undefined {
    return this.#byNumber[Number.parseInt((headers.authorization ?? '').slice('Bearer '.length), 10)];
  }
}

const wireEvent = ({ eventId, eventType, orderId, createdAt }: SimulatedEvent) => ({
  eventId,
  eventType,
  orderId,
  orderURL: `https://hub.example/opendelivery/v1/orders/${orderId}`,
  createdAt: new Date(EPOCH_MS + createdAt).toISOString(),
});

/** Enough of an order for a listener that stores it. */
const orderOf = (id: string) =>
  JSON.stringify({
    id,
    type: 'DELIVERY',
    displayId: id,
    createdAt: new Date(EPOCH_MS).toISOString(),
    items: [],
  });

const refused = () =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) });

const HEADERS = { get: () => null };

function responseOf(status: number, body?: string): FetchResponse {
  if (body === undefined) return { status, headers: HEADERS, body: null };
  let isRead = false;
  const reader = {
    read: async () => {
      if (isRead) return { done: true };
      isRead = true;
      return { done: false, value: Buffer.from(body) };
    },
    cancel: async () => {},
  };
  return { status, headers: HEADERS, body: { getReader: () => reader } };
}
