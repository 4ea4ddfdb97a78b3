import { abandonOnAbort } from '../async/promises.js';
import { HubCore } from './core.js';
import { applyDeadlines } from './deadlines.js';
import { createHandlers } from './handlers.js';
import { HubState } from './hub-state.js';
import { resolveListenOptions } from './listen-options.js';
import { isLoopback } from './loopback.js';
import type { MockHub } from './mock-hub.js';
import { checkStore, type MockHubOptions, resolveMockHubOptions } from './options.js';
import { BrokenConnection, networkError } from './response.js';
import { listen } from './server.js';

/**
 * Creates a mock hub. Tests reach it through MSW (`handlers`), through `fetch`,
 * or over HTTP (`listen`); all three lead to the same state.
 *
 * @example
 * ```ts
 * const clock = new ManualClock();
 * const mock = createMockHub({ clock });
 * const hub = new HubClient({ baseUrl: mock.baseUrl, ...mock.credentials, fetch: mock.fetch, clock });
 * ```
 *
 * @param options - all optional; pass `clock` to the client too, so that virtual time moves both.
 * @throws {ConfigurationError} an option is unknown or invalid.
 */
export function createMockHub(options: MockHubOptions = {}): MockHub {
  const state = new HubState(resolveMockHubOptions(options));
  const core = new HubCore(state);
  const { stores, journal, faults } = state;
  const { baseUrl, basePath, clock, profile } = state.options;
  /** A store with what has happened until now. */
  const current = (clientId: string | undefined) => {
    const store = stores.get(clientId);
    applyDeadlines(store, state);
    return store;
  };
  const mock: MockHub = {
    baseUrl,
    get credentials() {
      return stores.default.credentials;
    },
    get stores() {
      return stores.all.map(({ credentials }) => credentials);
    },
    handlers: createHandlers(baseUrl, profile.tokenUrl, core),
    fetch: (input, init) => fetchFrom(core, input, init),
    listen: async (given) => {
      const options = resolveListenOptions(given);
      const respond = (request: Request) => core.respond(request);
      const forbid = (request: Request, reason: string) => core.forbid(request, reason);
      // Only a hub with control paths needs it.
      const hasControl = options.control ?? isLoopback(options.host);
      const wrap = hasControl && (await import('./control.js')).controlled;
      const { url, close } = await listen(
        { respond: wrap ? wrap(mock, state, respond, options.rehearsal) : respond, forbid, clock },
        options,
      );
      state.listeningAt.add(url + basePath);
      return {
        url,
        close() {
          state.listeningAt.delete(url + basePath);
          return close();
        },
      };
    },
    addStore: (store) => stores.add(checkStore('addStore', store)).credentials,
    createOrder: (order) => state.createOrder(order),
    emit: (eventType, event) => state.emit(eventType, event),
    emitted: (clientId) => [...current(clientId).emitted],
    pending: (clientId) => [...current(clientId).pending],
    acknowledged: (clientId) => [...stores.get(clientId).acknowledged],
    redeliver: (eventId) => state.redeliver(eventId),
    push: (target, options) => state.pushers.start(target, options),
    refuseAcknowledgment: (eventId) => state.refuseAcknowledgment(eventId),
    publishMerchant: (change, { clientId } = {}) => state.publishMerchant(change, clientId),
    allow: () => state.allow(),
    revokeTokens: () => state.revokeTokens(),
    requests: journal.entries,
    violations: (clientId) => state.violations(clientId),
    faults,
    merchant: (clientId) => structuredClone(current(clientId).merchant),
    // With a default: jest waits for a callback of a hook that has a parameter.
    reset: (options = {}) => state.reset(options.clientId),
  };
  return mock;
}

/** Behaves as Node's fetch: rejects on abort, and with a network error when the connection breaks. */
async function fetchFrom(core: HubCore, ...args: Parameters<typeof globalThis.fetch>): Promise<Response> {
  const request = new Request(...args);
  request.signal.throwIfAborted();
  try {
    return await abandonOnAbort(core.respond(request), request.signal);
  } catch (error) {
    throw error instanceof BrokenConnection ? networkError() : error;
  }
}
