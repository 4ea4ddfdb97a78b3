import { ENDPOINT_NAMES, type EndpointName } from '../endpoints.js';
import type { Json } from './fixtures.js';
import type { OrderState } from './order-lifecycle.js';
import { Quota } from './rules.js';

/** Who a store is to the hub. */
export interface StoreCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
}

/** A store to be added: its credentials, and its merchant document where it is not the mock's own. */
export interface NewStore extends StoreCredentials {
  readonly merchant?: Json;
}

/** An event as the hub keeps it, in wire form. */
export interface HubEvent {
  readonly eventId: string;
  readonly eventType: string;
  readonly orderId: string;
  readonly createdAt: string;
  readonly orderURL: string;
  readonly metadata?: Json;
}

/** An event the client has confirmed. */
export interface AcknowledgedEvent extends HubEvent {
  /** Epoch ms. */
  readonly acknowledgedAt: number;
}

export interface HubOrder {
  readonly document: Json;
  readonly tracked: OrderState;
}

/** One restaurant at the mock hub. */
export class MockStore {
  readonly credentials: StoreCredentials;
  readonly orders = new Map<string, HubOrder>();
  readonly emitted: HubEvent[] = [];
  /** Every event ever emitted; of several with one id, the first. */
  readonly #byId = new Map<string, HubEvent>();
  readonly pending = new Map<string, HubEvent>();
  readonly acknowledged: AcknowledgedEvent[] = [];
  /** Ids whose acknowledgment the hub refuses. */
  readonly refused = new Set<string>();
  /** Tokens and when they expire, in epoch ms. */
  readonly tokens = new Map<string, number>();
  readonly quotas: ReadonlyMap<EndpointName, Quota>;
  /** While 429 has an endpoint shut, monotonic. */
  readonly shut = new Map<EndpointName, { from: number; until: number }>();
  merchant: Json;

  constructor(credentials: StoreCredentials, merchant: Json, windows: 'sliding' | 'fixed') {
    this.credentials = credentials;
    this.merchant = merchant;
    this.quotas = new Map(ENDPOINT_NAMES.map((name) => [name, new Quota(name, windows)]));
  }

  emit(event: HubEvent): void {
    const { eventId } = event;
    this.emitted.push(event);
    this.pending.set(eventId, event);
    if (!this.#byId.has(eventId)) this.#byId.set(eventId, event);
  }

  /** The event with this id, if the store has ever emitted one. */
  find(eventId: string): HubEvent | undefined {
    return this.pending.get(eventId) ?? this.#byId.get(eventId);
  }
}
