import { InvalidResponseError } from '../errors/index.js';

/** Keys under which a hub may send its array of events. */
const ARRAY_KEYS = ['events', 'data'];

/** The events in a poll's body. */
export interface PollBody {
  readonly elements: readonly unknown[];
  /** Where the array is in the body. */
  readonly path: readonly string[];
}

/**
 * The events in a body that is not an array. As everywhere, `null` counts
 * as absent: the array under the other key is read; if both are absent, there
 * are no events.
 *
 * @throws {InvalidResponseError} it is something else.
 */
export function eventsWithin(body: unknown): PollBody {
  if (body === null) return { elements: [], path: [] };
  if (typeof body === 'object') {
    for (const key of ARRAY_KEYS) {
      const inner: unknown = Object.hasOwn(body, key) ? Reflect.get(body, key) : undefined;
      if (Array.isArray(inner)) return { elements: inner, path: [key] };
    }
    if (('eventId' in body || 'id' in body) && 'orderId' in body) return { elements: [body], path: [] };
    if (hasNullArray(body)) return { elements: [], path: [] };
  }
  throw new InvalidResponseError(
    'polling',
    'the body does not contain an array of events; check baseUrl and basePath',
    {
      issues: [
        {
          path: [],
          code: 'invalid',
          message: 'expected an array, or an array in `events` or `data`',
          against: 'standard',
        },
      ],
    },
  );
}

/**
 * Whether the body has `null` in the place of the array.
 *
 * @throws {InvalidResponseError} the body also contains an error: the hub failed, and a poller that read this
 * as "no events" would never report it.
 */
function hasNullArray(body: object): boolean {
  const own = (key: string): unknown => (Object.hasOwn(body, key) ? Reflect.get(body, key) : undefined);
  if (!ARRAY_KEYS.some((key) => own(key) === null)) return false;
  if ((own('error') ?? own('errors') ?? null) === null) return true;
  throw new InvalidResponseError('polling', 'the hub sent status 200 with an error and without events', {
    retryable: true,
  });
}
