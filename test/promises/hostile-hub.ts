import type { Issue } from 'opendelivery-client';
import type { Json, MockHub } from 'opendelivery-client/testing';

/** The letter case of event types that the standard knows. */
export type Spelling = 'upper' | 'lower' | 'mixed';

/** An event to emit. */
export interface NewEmission {
  readonly eventType: string;
  readonly orderId: string;
  readonly createdAt: string;
  readonly metadata?: Json;
}

/** An event that the hub sends. */
export interface Emission extends NewEmission {
  /** Unique at the mock hub; the client receives the part before the `~`. */
  readonly id: string;
  readonly eventId: string;
  /** Equal for two emissions that are the same event for the client. */
  readonly key: string;
}

/** What one client has received. */
export interface Inbox {
  /** The last complete response of a poll. */
  response: readonly Emission[];
  /** Ids of the emissions that the poller has accepted. */
  readonly accepted: Set<string>;
}

const SUFFIX = /~\d+(?=")/g;

/**
 * A proxy of the mock hub that gives one id to several events.
 *
 * At the mock hub every event has a different id: `ID~2` is the second event
 * with the id `ID`. The proxy removes the suffix from responses and adds it to
 * acknowledgments. A strict hub forgets the events whose id, order and type are
 * in the acknowledgment; a careless one forgets all events with the id. Both
 * forget only what the client has received.
 */
export class HostileHub {
  readonly #mock: MockHub;
  readonly #isCareless: boolean;
  readonly #spelling: Spelling;
  readonly #breaches: string[];
  readonly #byId = new Map<string, Emission>();
  readonly #byEventId = new Map<string, Emission[]>();
  readonly emissions: Emission[] = [];

  constructor(
    mock: MockHub,
    { isCareless, spelling }: { isCareless: boolean; spelling: Spelling },
    breaches: string[],
  ) {
    this.#mock = mock;
    this.#isCareless = isCareless;
    this.#spelling = spelling;
    this.#breaches = breaches;
  }

  /** Creates an order; no other event has the id of its CREATED. */
  createOrder(): Emission {
    return this.#add(this.#mock.createOrder().event);
  }

  /** Emits an event, with the id of `earlier` if that is given. */
  emit(given: NewEmission, earlier?: Emission): Emission {
    const { eventType, ...more } = { ...given, eventType: this.#spelled(given.eventType) };
    const same = earlier && this.#byEventId.get(earlier.eventId);
    const eventId = same ? { eventId: `${earlier.eventId}~${same.length + 1}` } : {};
    return this.#add(this.#mock.emit(eventType, { ...more, ...eventId }));
  }

  /** The event that has this id at the mock hub. */
  find(id: string): Emission | undefined {
    return this.#byId.get(id);
  }

  /** The fetch of one client. */
  fetchFor(inbox: Inbox): typeof globalThis.fetch {
    return async (input, init) => {
      const path = String(input);
      if (path.includes('acknowledgment')) {
        const items = this.#translated(JSON.parse(String(init?.body)), inbox);
        const send = (part: readonly unknown[]) =>
          this.#mock.fetch(input, { ...init, body: JSON.stringify(part) });
        // An id that was used twice is two items at the mock hub, which takes a hundred.
        if (items.length > 100) await send(items.slice(100));
        return send(items.slice(0, 100));
      }
      const response = await this.#mock.fetch(input, init);
      if (path.includes('polling')) inbox.response = [];
      if (!path.includes('polling') || response.status !== 200 || !response.body) return response;
      const { status, headers } = response;
      return new Response(this.#rewritten(response.body, inbox), { status, headers });
    };
  }

  /** The bytes as they come, with errors and pauses, and with the ids that the client receives. */
  #rewritten(body: ReadableStream<Uint8Array>, inbox: Inbox): ReadableStream<Uint8Array> {
    const decoder = new TextDecoder();
    let text = '';
    return body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk) => {
          text += decoder.decode(chunk, { stream: true });
        },
        flush: (controller) => {
          this.#deliver(text, inbox);
          controller.enqueue(new TextEncoder().encode(text.replace(SUFFIX, '')));
        },
      }),
    );
  }

  #deliver(text: string, inbox: Inbox): void {
    try {
      const events = JSON.parse(text) as { eventId: string }[];
      inbox.response = events.map(({ eventId }) => this.#byId.get(eventId) as Emission);
    } catch {
      // Truncated: the client cannot read it either.
    }
  }

  #translated(items: { id: string; orderId: string; eventType: string }[], inbox: Inbox): unknown[] {
    const translated = new Map<string, unknown>();
    for (const item of items) {
      const { id, orderId, eventType } = item;
      const sent = (this.#byEventId.get(id) ?? []).filter((each) => inbox.accepted.has(each.id));
      const exact = sent.filter((each) => each.orderId === orderId && each.eventType === eventType);
      if (exact.length === 0)
        this.#breaches.push(`${id} was acknowledged as ${eventType} of ${orderId}, which was not sent`);
      for (const each of this.#isCareless ? sent : exact)
        translated.set(each.id, { id: each.id, orderId: each.orderId, eventType: each.eventType });
    }
    return [...translated.values()];
  }

  #add(event: NewEmission & { eventId: string }): Emission {
    const eventId = event.eventId.replace(/~\d+$/, '');
    const emission = { ...event, id: event.eventId, eventId, key: keyOf({ ...event, eventId }) };
    this.emissions.push(emission);
    this.#byId.set(emission.id, emission);
    this.#byEventId.set(eventId, [...(this.#byEventId.get(eventId) ?? []), emission]);
    return emission;
  }

  #spelled(type: string): string {
    if (this.#spelling === 'upper' || !WATCHED_TYPES.has(type)) return type;
    if (this.#spelling === 'lower') return type.toLowerCase();
    return type.charAt(0) + type.slice(1).toLowerCase();
  }
}

/** The standard types that the schedules emit; a hub may send them in any letter case. */
export const WATCHED_TYPES: ReadonlySet<string> = new Set([
  'CREATED',
  'CONFIRMED',
  'PREPARING',
  'READY_FOR_PICKUP',
  'DISPATCHED',
  'CONCLUDED',
]);

/** The type whose listeners are called. */
export function typeOf({ eventType }: { readonly eventType: string }): string {
  const upper = eventType.toUpperCase();
  return WATCHED_TYPES.has(upper) ? upper : eventType;
}

/** Identifies an event by its id and content; independent of the client's own function. */
export function keyOf(event: NewEmission & { readonly eventId: string }): string {
  const { eventId, orderId, createdAt, metadata } = event;
  return JSON.stringify([eventId, orderId, typeOf(event), createdAt, metadata ?? null]);
}

/** The reused ids in a poll's response that its issues do not report. */
export function unreported(
  response: readonly Emission[],
  known: ReadonlyMap<string, ReadonlySet<string>>,
  issues: readonly Issue[],
): string[] {
  const keys = new Map<string, Set<string>>();
  for (const { eventId, key } of response) keys.set(eventId, (keys.get(eventId) ?? new Set()).add(key));
  const duplicates = issues.filter(({ code }) => code === 'duplicate_id');
  const reported = new Set(duplicates.map(({ path }) => path[0]));
  return response.flatMap(({ eventId, key }, index) => {
    const isTwice = (keys.get(eventId)?.size ?? 0) > 1;
    const earlier = known.get(eventId);
    const isReused = earlier !== undefined && !earlier.has(key);
    if (isTwice && !reported.has(index))
      return [`${eventId} is in one poll twice, and [${index}] is not reported`];
    if (!isReused || duplicates.some(({ message }) => message.includes(eventId))) return [];
    return [`${eventId} had other content in an earlier poll, and this is not reported`];
  });
}
