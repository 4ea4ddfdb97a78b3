import type { OrderEvent } from '../schemas/event.js';

const keys = new WeakMap<OrderEvent, string>();

/**
 * Identifies an event by its id and its content. Some hubs have used one id for
 * two events; by the id alone, the second would count as handled.
 *
 * The content is what the standard defines for an event, without its URL: a hub
 * that moves to another address sends the same events.
 */
export function keyOf(event: OrderEvent): string {
  let key = keys.get(event);
  if (key === undefined) {
    key = `${event.eventId}#${hash(contentOf(event))}`;
    keys.set(event, key);
  }
  return key;
}

function contentOf(event: OrderEvent): string {
  const { orderId, eventType, createdAt = '', sourceAppId = '', virtualBrand = '', metadata } = event;
  const fields = [orderId, eventType, createdAt, sourceAppId, virtualBrand];
  if (metadata !== undefined) fields.push(canonicalJson(metadata));
  return fields.join('\n');
}

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

/** FNV-1a with two different starts: 64 bits are enough to distinguish the few events that share an id. */
function hash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x01000193);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}
