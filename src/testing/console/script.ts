import type { Clock } from '../../time/clock.js';
import { CONTROL_ROUTES } from '../control-routes.js';
import { type Duration, durationMs } from '../duration.js';
import type { Json } from '../fixtures.js';
import type { MockHub } from '../mock-hub.js';

/** One request to the control API, and when it is sent. */
export interface ScriptStep {
  /** After the start of the script, on the hub's clock. */
  readonly at: Duration;
  /** Method and path below `/_mock/`, such as `POST orders`. */
  readonly request: string;
  readonly body?: Json;
}

/**
 * Plays a script that the console has saved.
 *
 * @param clock - the mock hub's clock.
 * @param signal - ends it early.
 * @throws {TypeError} a step is invalid; the message has its number.
 */
export async function playScript(
  mock: MockHub,
  steps: readonly ScriptStep[],
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> {
  const startedAt = clock.monotonic();
  for (const [index, { at, request, body = {} }] of steps.entries()) {
    const name = nameOf(index, request);
    const route = routeOf(request);
    if (!route) throw new TypeError(`${name}: the control API has no such request`);
    const waitMs = startedAt + durationMs(at) - clock.monotonic();
    if (waitMs > 0) await clock.sleep(waitMs, signal);
    try {
      await route.run(mock, withEventId(mock, request, body), { clock, reachable: (event) => event });
    } catch (error) {
      throw new TypeError(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** Of a step, for an error. */
export const nameOf = (index: number, request: string) => `step ${index + 1} (${request})`;

/** What answers a request; undefined: the control API has no such request. */
export const routeOf = (request: string) =>
  CONTROL_ROUTES.find(({ method, path }) => `${method} ${path}` === request);

/** Whether a request names an event. In another one, `eventId` is a key like any other. */
export const isOfEvent = (request: string) => /^POST (?:redeliveries|refusals)$/.test(request);

/** A script names an event by its order and type, because its id is another one at each hub. The latest one counts. */
function withEventId(mock: MockHub, request: string, body: Json): Json {
  if (!isOfEvent(request) || 'eventId' in body) return body;
  const { clientId, orderId, eventType } = body;
  const event = mock
    .emitted(typeof clientId === 'string' ? clientId : undefined)
    .findLast((each) => each.orderId === orderId && each.eventType === eventType);
  if (!event) throw new TypeError(`the mock hub has not emitted ${eventType} for the order '${orderId}'`);
  return { eventId: event.eventId };
}
