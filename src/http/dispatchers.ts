import type { Agent, Dispatcher } from 'undici';

/** A Dispatcher of undici, whichever version the application has: their types do not fit each other. */
export interface AnyDispatcher {
  dispatch(options: never, handler: never): boolean;
}

/** undici 8 and newer set both, undici 7 and Node's own the second. */
const GLOBAL_DISPATCHERS = [
  Symbol.for('undici.globalDispatcher.2'),
  Symbol.for('undici.globalDispatcher.1'),
] as const;

/**
 * The dispatcher the application has made global, so that a MockAgent or a
 * ProxyAgent set there catches us too; undefined for undici's plain Agent.
 */
export function globalDispatcher(): Dispatcher | undefined {
  const [current, legacy] = GLOBAL_DISPATCHERS.map((name): unknown => Reflect.get(globalThis, name));
  // undici 8 wraps what it sets for older readers, of which we are one.
  if (nameOf(legacy) === 'Dispatcher1Wrapper') {
    return isPlainAgent(current) ? undefined : (legacy as Dispatcher);
  }
  for (const dispatcher of [current, legacy]) {
    if (dispatcher && !isPlainAgent(dispatcher)) return dispatcher as Dispatcher;
  }
  return undefined;
}

/** A composed agent shows its class name too, but dispatches by a function of its own. */
function isPlainAgent(dispatcher: unknown): boolean {
  if (typeof dispatcher !== 'object' || dispatcher === null) return true;
  if (nameOf(dispatcher) !== 'Agent') return false;
  const prototype: unknown = Reflect.get(dispatcher, 'constructor')?.prototype;
  return (
    typeof prototype === 'object' &&
    prototype !== null &&
    Reflect.get(dispatcher, 'dispatch') === Reflect.get(prototype, 'dispatch')
  );
}

function nameOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? value.constructor?.name : undefined;
}

/**
 * The dispatcher's own method, because undici 8 does not understand the
 * handlers of undici 7; ours where it has none. `undici.request` would hand
 * its options on to the dispatcher.
 */
export function requestOf(dispatcher: AnyDispatcher, ours: Dispatcher['request']): Dispatcher['request'] {
  const own: unknown = Reflect.get(dispatcher, 'request');
  const request = typeof own === 'function' ? own : ours;
  return request.bind(dispatcher) as Dispatcher['request'];
}

/** Longer than the 30 s between two polls, or every poll would open a connection. */
const KEEP_ALIVE_MS = 55_000;

/** Options of the Agent a client makes for itself. */
export const AGENT_OPTIONS = Object.freeze({
  connections: 64,
  pipelining: 1,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: 600_000,
  // Deadlines are ours, on the client's clock.
  headersTimeout: 0,
  bodyTimeout: 0,
}) satisfies Agent.Options;
