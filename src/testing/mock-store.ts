import { ENDPOINT_NAMES, type EndpointName } from '../hub/endpoints.js';
import type { EndpointTable } from '../hub/host-endpoints.js';
import { type Json, merchantFixture, withUnit } from './fixtures.js';
import type { ResolvedMockHubOptions } from './options.js';
import type { OrderState } from './order-lifecycle.js';
import type { PushDelivery } from './push.js';
import { Quota } from './quota.js';
import { Unanswered } from './unanswered.js';

/** The credentials of one store. */
export interface StoreCredentials {
  /** For tokens, with `clientSecret`; also the name of the store in the mock hub. */
  readonly clientId: string;
  /** For tokens, with `clientId`. */
  readonly clientSecret: string;
  /** For the merchant endpoint. */
  readonly apiKey: string;
}

/**
 * A store to add to the mock hub.
 *
 * @example
 * ```ts
 * mock.addStore({ clientId: '2002', clientSecret: 'secret', apiKey: 'key' });
 * ```
 */
export interface NewStore extends StoreCredentials {
  /** The store's merchant document (Spec §2.2); default: a small pizzeria. */
  readonly merchant?: Json | undefined;
}

/** An event as the hub sends it (Spec §2.11). */
export interface HubEvent {
  /** The id of the event. */
  readonly eventId: string;
  /** Such as `'CREATED'`; the hub may send types that the spec does not list. */
  readonly eventType: string;
  /** The id of the order. */
  readonly orderId: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /**
   * The address of the order at the hub. Over HTTP, a poll gives it with the address that the client has used, and a
   * push with the one at which the hub listens.
   */
  readonly orderURL: string;
  /** Details of the event type. Absent: there are none. */
  readonly metadata?: Json;
  /** Any other field that `emit` was given. */
  readonly [key: string]: unknown;
}

/** An event that the client has acknowledged. */
export interface AcknowledgedEvent extends HubEvent {
  /** Epoch ms on the hub's clock. */
  readonly acknowledgedAt: number;
}

export interface MockOrder {
  /** The hub's orders are numbered in the sequence in which they were created. */
  readonly number: number;
  readonly document: Json;
  readonly state: OrderState;
  readonly merchantId?: string | undefined;
  /** Nobody knows the document: the recording does not have it. */
  readonly hasNoDocument?: boolean;
}

/** The latest command of the application for an order. */
export interface LatestCommand {
  readonly name: string;
  /** Of the request in the journal. */
  readonly number: number;
  readonly monotonicAt: number;
  /** Of the response; undefined before it comes. */
  status: number | undefined;
}

/** One store at the mock hub, with its own orders, events, tokens and quotas. */
export class MockStore {
  /** `reset` adds it again. */
  readonly added: NewStore;
  readonly credentials: StoreCredentials;
  readonly orders = new Map<string, MockOrder>();
  readonly emitted: HubEvent[] = [];
  forgotten = 0;
  /** Polls so far: each poll is shuffled with another seed. */
  polls = 0;
  /** All emitted events. A test may emit several with one id, as some hubs do. */
  readonly #byId = new Map<string, readonly HubEvent[]>();
  readonly pending = new Set<HubEvent>();
  /** When each pending event was last given out, in monotonic ms. */
  readonly #pendingSince = new WeakMap<HubEvent, number>();
  readonly acknowledged: AcknowledgedEvent[] = [];
  readonly refused = new Set<string>();
  /** When each event was first in the response of a poll, and in how many. */
  readonly delivered = new Map<string, { readonly at: number; readonly times: number }>();
  readonly acknowledgedAt = new Map<string, number>();
  /** The latest try to push each event. */
  readonly pushed = new Map<string, PushDelivery>();
  /** The latest command of the application for each order. */
  readonly commands = new Map<string, LatestCommand>();
  /** The expiry of each valid token, in epoch ms. */
  readonly tokens = new Map<string, number>();
  readonly quotas: ReadonlyMap<EndpointName, Quota>;
  /** Endpoints that a 429 has blocked: a request between these instants (monotonic ms) is a violation. */
  readonly blocked = new Map<EndpointName, { readonly from: number; readonly until: number }>();
  /** What the store must answer in time. */
  readonly unanswered: Unanswered;
  merchant: Json;

  constructor(
    added: NewStore,
    endpoints: EndpointTable,
    { clock, windows, unansweredAfterMs, profile }: ResolvedMockHubOptions,
  ) {
    const { clientId, clientSecret, apiKey, merchant } = added;
    this.added = added;
    this.credentials = { clientId, clientSecret, apiKey };
    this.merchant = merchant
      ? structuredClone(merchant)
      : withUnit(merchantFixture(new Date(clock.now()).toISOString()), profile.itemUnit);
    this.unanswered = new Unanswered(clientId, clock, unansweredAfterMs, profile.confirmWithinMs);
    this.quotas = new Map(ENDPOINT_NAMES.map((name) => [name, new Quota(endpoints[name], windows)]));
  }

  /** A poll has given out these events. @param at - epoch ms. */
  deliver(events: readonly HubEvent[], at: number): void {
    for (const { eventId } of events) {
      const known = this.delivered.get(eventId);
      this.delivered.set(eventId, { at: known?.at ?? at, times: (known?.times ?? 0) + 1 });
    }
  }

  quotaOf(endpoint: EndpointName): Quota {
    return this.quotas.get(endpoint) as Quota;
  }

  /** @param now - monotonic ms. */
  emit(event: HubEvent, now: number): void {
    const { eventId } = event;
    this.emitted.push(event);
    this.redeliver(event, now);
    this.#byId.set(eventId, [...this.withId(eventId), event]);
  }

  /** @param now - monotonic ms. */
  redeliver(event: HubEvent, now: number): void {
    this.pending.add(event);
    this.#pendingSince.set(event, now);
  }

  /** Removes the pending events that are older. @param before - monotonic ms. */
  expire(before: number): void {
    for (const event of this.pending) {
      if ((this.#pendingSince.get(event) as number) <= before) this.pending.delete(event);
    }
  }

  forget(orderIds: ReadonlySet<string>): void {
    const before = this.emitted.length;
    for (const orderId of orderIds) {
      this.orders.delete(orderId);
      this.commands.delete(orderId);
      this.unanswered.forget(orderId);
    }
    for (const { eventId, orderId } of this.emitted) {
      if (!orderIds.has(orderId)) continue;
      // An order that stays may have an event with the same id.
      const kept = this.withId(eventId).filter((event) => !orderIds.has(event.orderId));
      if (kept.length > 0) this.#byId.set(eventId, kept);
      else {
        for (const known of [this.#byId, this.refused, this.delivered, this.acknowledgedAt, this.pushed]) {
          known.delete(eventId);
        }
      }
    }
    for (const events of [this.emitted, this.acknowledged]) {
      const kept = events.filter(({ orderId }) => !orderIds.has(orderId));
      events.length = 0;
      for (const event of kept) (events as HubEvent[]).push(event);
    }
    this.forgotten += before - this.emitted.length;
  }

  /** The shop of an event: its own, or that of the merchant document. */
  shopOf({ merchantId }: HubEvent): string {
    return String(merchantId ?? this.merchant.id);
  }

  /** The events with this id, oldest first. Empty: the store never emitted one. */
  withId(eventId: string): readonly HubEvent[] {
    return this.#byId.get(eventId) ?? [];
  }
}
