import * as z from 'zod';
import { EVENT_TYPES, type EventType, type KnownEventType } from './event-types.js';
import { expected, formatted, id, openEnum, wireObject } from './wire.js';

/** @see Spec §2.11 */
export const eventSchema = wireObject(
  {
    eventId: id(),
    eventType: openEnum(EVENT_TYPES),
    orderId: id(),
    createdAt: expected(formatted('datetime')),
    orderURL: expected(z.string()),
    sourceAppId: id().optional(),
    virtualBrand: z.string().optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
  },
  { aliases: { id: 'eventId', status: 'eventType', code: 'eventType', orderUrl: 'orderURL' } },
);

/** `metadata` of CONFIRMED (standard v1.7.1). */
export type ConfirmationMetadata = {
  /** The station that confirmed the order, for stores with several stations. Absent: the hub does not say which. */
  readonly clientId?: string;
};

/** `metadata` of PICKUP_AREA_ASSIGNED (standard v1.7.1). */
export type PickupAreaMetadata = {
  /**
   * The place where the store hands the order over, e.g. the number of a parking space. Required by the standard;
   * absent means that the hub left it out.
   */
  readonly pickupArea?: string;
};

/** `metadata` of the five cancellation types (standard v1.7.1). */
export type CancellationMetadata = {
  /** The reason as free text. Required by the standard; absent means that the hub left it out. */
  readonly reason?: string;
  /**
   * The reason as a code of the standard, e.g. `UNAVAILABLE_ITEM` or `CONSUMER_CANCELLATION_REQUESTED`. Required by
   * the standard; absent means that the hub left it out.
   */
  readonly code?: string;
  /** The station that caused the event, for stores with several stations. Absent: the hub does not say which. */
  readonly clientId?: string;
};

/** The type of `metadata` for each event type that has metadata in the standard v1.7.1. */
export interface EventMetadata {
  /** The order was confirmed. */
  readonly CONFIRMED: ConfirmationMetadata;
  /** The hub assigned a pickup area to a takeout order. */
  readonly PICKUP_AREA_ASSIGNED: PickupAreaMetadata;
  /** The store asked to cancel the order. */
  readonly CANCELLATION_REQUESTED: CancellationMetadata;
  /** The hub refused the store's cancellation request. */
  readonly CANCELLATION_REQUEST_DENIED: CancellationMetadata;
  /** The hub or the customer asks to cancel the order. The store must accept or deny this. */
  readonly ORDER_CANCELLATION_REQUEST: CancellationMetadata;
  /** The order was cancelled. */
  readonly CANCELLED: CancellationMetadata;
  /** The store denied the cancellation request of the hub or the customer. */
  readonly CANCELLED_DENIED: CancellationMetadata;
}

/**
 * The type of `metadata` for one event type: an entry of `EventMetadata`, or else an object of unknown values.
 *
 * A union of event types also gets the object of unknown values, because an event of the union can have any metadata.
 */
export type EventMetadataOf<Type extends EventType> = [Type] extends [keyof EventMetadata]
  ? EventMetadata[Type]
  : Readonly<Record<string, unknown>>;

/** An event of an order, with the field names of the wire format (Spec §2.11). */
export type OrderEvent<Type extends EventType = EventType> = {
  /**
   * The id of the event. It stays the same when the hub sends the event again. Always present: an event without it
   * is left out of the poll (Spec §2.11).
   */
  readonly eventId: string;
  /**
   * The type, under its present name of Spec §6.1, or a type that only this hub has. Always present: an event without
   * it is left out of the poll.
   */
  readonly eventType: Type;
  /**
   * The type as the hub sent it, if that was an older name or another letter case. The event is acknowledged under
   * this name. Absent: the hub sent `eventType`. Added by the client.
   */
  readonly receivedEventType?: string;
  /** The order's id, for `hub.orders`. Always present: an event without it is left out of the poll (Spec §2.11). */
  readonly orderId: string;
  /**
   * ISO 8601 date-time, as the hub sent it. By the standard this is the time when the *order* was created, so all
   * events of an order can have the same value. Required by Spec §2.11; absence is an issue.
   */
  readonly createdAt?: string | undefined;
  /**
   * The URL of the order at the hub. The client never requests it: use `hub.orders.get(orderId)`. Required by
   * Spec §2.11; absence is an issue.
   */
  readonly orderURL?: string | undefined;
  /** The id of the ordering application behind the hub (standard v1.7.1). Absent: the hub does not say which. */
  readonly sourceAppId?: string | undefined;
  /**
   * The store's brand, if the store sells under several brands, as a dark kitchen does (standard v1.7.1). Absent: the
   * store has one brand.
   */
  readonly virtualBrand?: string | undefined;
  /** Details of this event type; see `EventMetadata` (standard v1.7.1). Absent: the type has none. */
  readonly metadata?: EventMetadataOf<Type>;
};

/**
 * An event of any type of Spec §6.1. Comparing `eventType` narrows the type of `metadata`.
 *
 * Types that only this hub has arrive here too. Compare them as `(event.eventType as string)`: if this union
 * contained an open string type, TypeScript could not narrow the other types. A listener for a type of the spec and for
 * one of a hub takes an `OrderEvent`.
 */
export type AnyOrderEvent = { [Type in KnownEventType]: OrderEvent<Type> }[KnownEventType];
