import type { Socket } from 'node:net';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { ConfigurationError } from '../errors/index.js';

export type Undici = typeof import('undici');

type Connector = buildConnector.connector;

/**
 * undici, or null on a platform where the package leaves it out; see `imports`
 * in package.json.
 *
 * @throws {ConfigurationError} undici cannot be loaded.
 */
export async function loadUndici(): Promise<Undici | null> {
  try {
    const undici = await import('#undici');
    return 'isLeftOut' in undici ? null : complete(undici);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError(
      'undici',
      `could not be loaded: ${message}; if a bundler put undici into an ES module, give the bundle ` +
        'a createRequire banner or leave opendelivery-client out of it (docs/runtimes.md, "Bundling for Node.js")',
      { cause },
    );
  }
}

/** After a failed first load, a bundler's loader may return a module that is only partly initialized. */
function complete(undici: Undici): Undici {
  if (typeof undici.Agent !== 'function' || typeof undici.Dispatcher !== 'function') {
    throw new Error('only a part of it was loaded');
  }
  return undici;
}

/** A Dispatcher of any undici version. The types of two versions are not compatible, so only `dispatch` is required. */
export interface AnyDispatcher {
  /** Sends one request, as undici's `Dispatcher.dispatch`. */
  dispatch(options: never, handler: never): boolean;
}

/** Where the global dispatcher is. undici 8 and later set both; undici 7 and Node's built-in undici set only the second. */
export const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.2');
export const LEGACY_DISPATCHER = Symbol.for('undici.globalDispatcher.1');

/**
 * The global dispatcher that the application has set, for example a MockAgent
 * or a ProxyAgent; undefined if it is undici's plain Agent.
 *
 * @param legacy - what versions before undici 8 see.
 */
export function dispatcherOf(current: unknown, legacy: unknown): Dispatcher | undefined {
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
  const plain: unknown = Object.getPrototypeOf(dispatcher)?.dispatch;
  return nameOf(dispatcher) === 'Agent' && Reflect.get(dispatcher, 'dispatch') === plain;
}

function nameOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? value.constructor?.name : undefined;
}

/**
 * The dispatcher's own `request` method, because undici 8 does not accept the
 * handlers of undici 7; `fallback` if it has none. `undici.request` would pass
 * its options on to the dispatcher.
 */
export function requestMethodOf(
  dispatcher: AnyDispatcher,
  fallback: Dispatcher['request'],
): Dispatcher['request'] {
  const own: unknown = Reflect.get(dispatcher, 'request');
  const request = typeof own === 'function' ? own : fallback;
  return request.bind(dispatcher) as Dispatcher['request'];
}

/** Longer than the 30 s between two polls, or every poll would open a new connection. */
const KEEP_ALIVE_MS = 55_000;

/** Options of the client's own Agent. */
const AGENT_OPTIONS = {
  pipelining: 1,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: 600_000,
  // `exchange` keeps the deadline, on the client's clock.
  headersTimeout: 0,
  bodyTimeout: 0,
} satisfies Agent.Options;

/** Errors of connections that were never opened. */
export const connectFailures = new WeakSet<object>();

/** An Agent, and what ends it at once. */
export interface OwnAgent {
  readonly agent: Agent;
  /** Also closes connections that are being opened, which `destroy` of undici leaves to their own time limit. */
  readonly close: () => Promise<void>;
}

/** @param connections - to one hub, at most; null: as many as there are requests. */
export function newAgent(undici: Undici, connections: number | null): OwnAgent {
  // Its type does not say that it returns the socket.
  const connect = undici.buildConnector({}) as (...given: Parameters<Connector>) => Socket;
  const opening = new Set<Socket>();
  const agent = new undici.Agent({
    ...AGENT_OPTIONS,
    connections,
    connect: (options, callback) => {
      const socket = connect(options, (...result) => {
        opening.delete(socket);
        // A reset during the TLS handshake looks like a failed read; only the connector can distinguish them.
        if (result[0]) connectFailures.add(result[0]);
        callback(...result);
      });
      opening.add(socket);
    },
  });
  const close = async () => {
    const closed = agent.destroy();
    for (const socket of opening) socket.destroy();
    await closed;
  };
  return { agent, close };
}

/** The Agents of the process by their hub's origin, each while it has users. */
const shared = new Map<string, { readonly own: OwnAgent; users: number }>();

/** Closes for clients that were not closed, when they are collected. */
const forgotten = new FinalizationRegistry<OwnAgent['close']>((close) => void close());

/**
 * An Agent keeps 20 kB, and connections, for each hub: the clients of its stores share them, and the last one closes
 * them. The hub's limits bound the requests of a client, so calls of one that hang keep no connection from another one.
 *
 * @param user - may be collected before it has called `close`.
 */
export function sharedAgent(undici: Undici, origin: string, user: object): OwnAgent {
  const used = shared.get(origin) ?? { own: newAgent(undici, null), users: 0 };
  shared.set(origin, used);
  used.users += 1;
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    used.users -= 1;
    if (used.users > 0) return;
    shared.delete(origin);
    await used.own.close();
  };
  forgotten.register(user, close);
  return { agent: used.own.agent, close };
}
