import type { Agent, Dispatcher } from 'undici';

/** A Dispatcher of any undici version. The types of two versions are not compatible, so only `dispatch` is required. */
export interface AnyDispatcher {
  /** Sends one request, as undici's `Dispatcher.dispatch`. */
  dispatch(options: never, handler: never): boolean;
}

/** undici 8 and later set both; undici 7 and Node's built-in undici set only the second. */
const GLOBAL_DISPATCHERS = [
  Symbol.for('undici.globalDispatcher.2'),
  Symbol.for('undici.globalDispatcher.1'),
] as const;

/**
 * The global dispatcher that the application has set, for example a MockAgent
 * or a ProxyAgent; undefined if it is undici's plain Agent.
 */
export function globalDispatcher(): Dispatcher | undefined {
  const [current, legacy] = GLOBAL_DISPATCHERS.map((name): unknown => Reflect.get(globalThis, name));
  // undici 8 wraps its dispatcher for code written for older versions, such as ours.
  if (nameOf(legacy) === 'Dispatcher1Wrapper') {
    return isPlainAgent(current) ? undefined : (legacy as Dispatcher);
  }
  for (const dispatcher of [current, legacy]) {
    if (dispatcher && !isPlainAgent(dispatcher)) return dispatcher as Dispatcher;
  }
  return undefined;
}

/** A composed Agent has the same class name, but another `dispatch` function. */
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
 * The dispatcher's own `request` method, because undici 8 does not accept the
 * handlers of undici 7; `fallback` if it has none. `undici.request` would pass
 * its options on to the dispatcher.
 */
export function requestOf(dispatcher: AnyDispatcher, fallback: Dispatcher['request']): Dispatcher['request'] {
  const own: unknown = Reflect.get(dispatcher, 'request');
  const request = typeof own === 'function' ? own : fallback;
  return request.bind(dispatcher) as Dispatcher['request'];
}

/** Longer than the 30 s between two polls, or every poll would open a new connection. */
const KEEP_ALIVE_MS = 55_000;

/** Options of the client's own Agent. */
export const AGENT_OPTIONS = Object.freeze({
  connections: 64,
  pipelining: 1,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: 600_000,
  // `Exchange` keeps the deadline, on the client's clock.
  headersTimeout: 0,
  bodyTimeout: 0,
}) satisfies Agent.Options;
