import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { HubClient } from 'opendelivery-client';
import { expect, it } from 'vitest';
import { clientOf, rawServer, sends } from './support.js';

const issuesToken = sends(200, '{"access_token":"a-token","token_type":"bearer","expires_in":604800}');

/** It has no events. */
const idleHub = () =>
  rawServer((response, { url }) => (url.endsWith('/token') ? issuesToken : sends(204))(response));

it('keeps no connection from a client because calls of another one hang', async () => {
  const server = await rawServer((response, { url }) => {
    if (url.endsWith('/token')) issuesToken(response);
    else if (!url.includes('hangs')) sends(202)(response);
  });
  const busy = clientOf(server.url, { clientId: '4217' }).hub;
  const other = clientOf(server.url, { clientId: '4218' }).hub;
  const hanging = Array.from({ length: 90 }, (_, id) =>
    busy.orders.get(`hangs-${id}`).catch(({ code }) => code),
  );
  await other.orders.confirm('4711');
  await busy.close();
  expect(new Set(await Promise.all(hanging))).toEqual(new Set(['closed']));
});

it('sends the first token request and the polls after it over one connection', async () => {
  const server = await idleHub();
  const { hub } = clientOf(server.url);
  await hub.events.poll();
  await new Promise(setImmediate);
  await hub.events.poll();
  expect(server.connections).toBe(1);
});

it('closes the connections to its hub although the clients of other hubs are open', async () => {
  const polled = async () => {
    const server = await idleHub();
    const { hub } = clientOf(server.url);
    await hub.events.poll();
    return { server, hub };
  };
  const [first, second] = [await polled(), await polled()];
  await first.hub.close();
  await first.server.requests[0]?.closed;
  await second.hub.events.poll();
  expect([first.server.connections, second.server.connections]).toEqual([1, 1]);
});

it('shares the connections of the clients of other stores, until the last one closes them', async () => {
  const server = await idleHub();
  const hubs = ['4217', '4218', '4219'].map((clientId) => clientOf(server.url, { clientId }).hub);
  for (const hub of hubs) {
    await hub.events.poll();
    await new Promise(setImmediate);
  }
  const [first, second, last] = hubs;
  await Promise.all([first?.close(), second?.close()]);
  await last?.events.poll();
  expect(server.connections).toBe(1);

  await last?.close();
  await server.requests[0]?.closed;
  const next = clientOf(server.url, { clientId: '4217' }).hub;
  await next.events.poll();
  expect(server.connections).toBe(2);
});

it('closes the connections also if an earlier client was forgotten', { tags: 'slow' }, async () => {
  const server = await idleHub();
  const options = { baseUrl: server.url, clientSecret: 'mock-client-secret', logger: false } as const;
  await new HubClient({ ...options, clientId: '4217' }).events.poll();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise(setImmediate);
    collect();
  }
  const last = new HubClient({ ...options, clientId: '4218' });
  await last.events.poll();
  await last.close();
  expect(await Promise.all(server.requests.map(({ closed }) => closed))).toHaveLength(4);
});
