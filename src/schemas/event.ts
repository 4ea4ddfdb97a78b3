import * as z from 'zod';
import { type DeepReadonly, expected, formatted, id, openEnum, wireObject } from './wire.js';

/** The event types of Spec §6.1, in the order of an order's life; cancellations last. */
export const EVENT_TYPES = [
  'CREATED',
  'CONFIRMED',
  'PREPARATION_REQUESTED',
  'PREPARING',
  'READY_FOR_PICKUP',
  'PICKUP_AREA_ASSIGNED',
  'DISPATCHED',
  'PICKED_UP',
  'DELIVERED',
  'CONCLUDED',
  'CANCELLED',
  'CANCELLATION_REQUESTED',
  'CANCELLATION_REQUEST_DENIED',
  'ORDER_CANCELLATION_REQUEST',
  'CANCELLED_DENIED',
] as const;

/** A type of Spec §6.1. */
export type KnownEventType = (typeof EVENT_TYPES)[number];

/** A type of Spec §6.1, or one the hub adds; new ones may come at any time. */
export type EventType = KnownEventType | (string & {});

/** Other names the standard has used, and the type they mean. */
const ALIASES: ReadonlyMap<string, KnownEventType> = new Map([
  ['CANCELLATION_DENIED', 'CANCELLED_DENIED'],
  ['ORDER_CANCELLATION_REQUESTED', 'ORDER_CANCELLATION_REQUEST'],
]);

const KNOWN: ReadonlySet<string> = new Set<string>(EVENT_TYPES);

/** The type under which an event is dispatched: its present name, in upper case if the standard knows it. */
export function canonicalEventType(received: string): EventType {
  const exact = ALIASES.get(received) ?? received;
  if (KNOWN.has(exact)) return exact;
  const upper = received.toUpperCase();
  const known = ALIASES.get(upper) ?? upper;
  return KNOWN.has(known) ? known : received;
}

/**
 * Whether the standard knows the type, under its present name or an older one.
 *
 * @param letterCase - `any`: hubs write `created` too.
 */
export function isKnownEventType(received: string, letterCase: 'any' | 'exact' = 'any'): boolean {
  if (letterCase === 'any') return KNOWN.has(canonicalEventType(received));
  return KNOWN.has(received) || ALIASES.has(received);
}

const RANKS: ReadonlyMap<string, number> = new Map(
  EVENT_TYPES.map((type, rank) => [type, Math.min(rank, 10)]),
);

/** Where a type stands in an order's life, to break ties of `createdAt`; unknown and cancellation types come last. */
export function lifecycleRank(type: string): number {
  return RANKS.get(type) ?? 10;
}

/**
 * One event of a poll.
 *
 * @see Spec §2.11
 */
export const eventSchema = wireObject(
  {
    eventId: id(),
    eventType: openEnum(EVENT_TYPES),
    orderId: id(),
    createdAt: expected(formatted('datetime')),
    orderURL: expected(z.string()),
    /** The application behind a hub (standard). */
    sourceAppId: id().optional(),
    /** The brand of a dark kitchen (standard). */
    virtualBrand: z.string().optional(),
    /** What the type adds, see `EventMetadata` (standard). */
    metadata: z.record(z.string(), z.unknown()).optional(),
  },
  { aliases: { id: 'eventId', status: 'eventType', code: 'eventType', orderUrl: 'orderURL' } },
);

/** Why an order was cancelled, or is to be (standard). */
export type CancellationMetadata = {
  readonly reason?: string;
  readonly code?: string;
  readonly clientId?: string;
};

/** What the standard says of `metadata`, by event type; anything else is an open record. */
export interface EventMetadata {
  readonly CONFIRMED: { readonly clientId?: string };
  readonly PICKUP_AREA_ASSIGNED: { readonly pickupArea?: string };
  readonly CANCELLATION_REQUESTED: CancellationMetadata;
  readonly CANCELLATION_REQUEST_DENIED: CancellationMetadata;
  readonly ORDER_CANCELLATION_REQUEST: CancellationMetadata;
  readonly CANCELLED: CancellationMetadata;
  readonly CANCELLED_DENIED: CancellationMetadata;
}

// Not distributed over a union: what may be any type has metadata of any kind.
type Metadata<Type> = [Type] extends [keyof EventMetadata]
  ? EventMetadata[Type]
  : Readonly<Record<string, unknown>>;

/**
 * An event of an order, with its wire names.
 *
 * `eventType` is the present name of the type; where the hub sent an older one,
 * `receivedEventType` keeps it, and it is acknowledged under that.
 *
 * @see Spec §2.11
 */
export type OrderEvent<Type extends EventType = EventType> = Omit<
  DeepReadonly<z.output<typeof eventSchema>>,
  'eventType' | 'metadata'
> & {
  readonly eventType: Type;
  readonly receivedEventType?: string;
  readonly metadata?: Metadata<Type>;
};

/**
 * An event of any type of Spec §6.1; `eventType` narrows its `metadata`.
 *
 * A hub's own types come too: compare them as `(event.eventType as string)`. An
 * open type in this union would keep TypeScript from narrowing the others.
 */
export type AnyOrderEvent = { [Type in KnownEventType]: OrderEvent<Type> }[KnownEventType];
