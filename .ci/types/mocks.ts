/** Objects of other packages that an application passes to ours. Their types must be accepted. */
import { setupServer } from 'msw/node';
import { HubClient } from 'opendelivery-client';
import { createMockHub } from 'opendelivery-client/testing';
import { Agent, type Dispatcher, fetch, MockAgent, ProxyAgent } from 'undici-of-the-app';

const mock = createMockHub();
const own: Dispatcher = new Agent();
const dispatchers = [own, new Agent().compose(), new MockAgent(), new ProxyAgent('http://proxy.example')];

export const server = setupServer(...mock.handlers);
export const hubs = dispatchers.map(
  (dispatcher) => new HubClient({ baseUrl: mock.baseUrl, ...mock.credentials, dispatcher }),
);
export const overFetch = new HubClient({ baseUrl: mock.baseUrl, fetch: globalThis.fetch });
export const overUndici = new HubClient({ baseUrl: mock.baseUrl, fetch });
