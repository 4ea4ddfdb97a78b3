import type { OrderEvent } from '../schemas/event.js';

/**
 * Identifies an event by its id and its content. Some hubs have used one id for
 * two events; by the id alone, the second would count as handled.
 *
 * The content is what the standard defines for an event, without its URL: a hub
 * that moves to another address sends the same events.
 */
export function keyOf(event: OrderEvent): string {
  const {
    eventId,
    orderId,
    eventType,
    createdAt = '',
    sourceAppId = '',
    virtualBrand = '',
    metadata,
  } = event;
  hash.a = FIRST_START;
  hash.b = SECOND_START;
  add(orderId);
  add(eventType);
  add(createdAt);
  add(sourceAppId);
  add(virtualBrand);
  if (metadata !== undefined) add(canonicalJson(metadata));
  // 30 bits of each: small integers become strings ten times faster than any other number.
  return `${eventId}#${hash.a >>> 2}-${hash.b >>> 2}`;
}

/** The id of the event that has this key. */
export const idOf = (key: string): string => key.slice(0, key.lastIndexOf('#'));

/** JSON with sorted keys: a hub may send the same metadata in another order. */
function canonicalJson(value: unknown): string {
  try {
    return JSON.stringify(value, (_key, inner: unknown) => {
      if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
      return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
    });
  } catch {
    // Nested deeper than the stack: the key uses the other fields only.
    return '';
  }
}

const FIRST_START = 0x811c9dc5;
const SECOND_START = 0x9747b28c;

/**
 * FNV-1a with two different starts: 60 bits are enough to distinguish the few
 * events that share an id. It is not a string that is built first: the fields
 * of a thousand events would be copied for nothing.
 */
const hash = { a: FIRST_START, b: SECOND_START };

/** Adds a field, and the end of it. */
function add(field: string): void {
  let { a, b } = hash;
  for (let index = 0; index < field.length; index += 1) {
    const unit = field.charCodeAt(index);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x01000193);
  }
  hash.a = Math.imul(a ^ 0x0a, 0x01000193);
  hash.b = Math.imul(b ^ 0x0a, 0x01000193);
}
