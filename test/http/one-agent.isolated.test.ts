import { expect, it } from 'vitest';
import { clientOf, rawServer, sends } from './support.js';

const issuesToken = sends(200, '{"access_token":"a-token","token_type":"bearer","expires_in":604800}');

it('opens at most 64 connections, also for a hundred requests that are the first ones', async () => {
  const server = await rawServer((response, { url }) =>
    (url.endsWith('/token') ? issuesToken : sends(404, '{}'))(response),
  );
  const { hub } = clientOf(server.url);
  const calls = Array.from({ length: 100 }, (_, id) => hub.orders.get(`${id}`).catch(({ status }) => status));
  expect(new Set(await Promise.all(calls))).toEqual(new Set([404]));
  expect(server.connections).toBeGreaterThan(1);
  expect(server.connections).toBeLessThanOrEqual(64);
});

it('sends the first token request and the polls after it over one connection', async () => {
  const server = await rawServer((response, { url }) =>
    (url.endsWith('/token') ? issuesToken : sends(204))(response),
  );
  const { hub } = clientOf(server.url);
  await hub.events.poll();
  await new Promise(setImmediate);
  await hub.events.poll();
  expect(server.connections).toBe(1);
});

it('shares the connections of the clients of other stores, until the last one closes them', async () => {
  const server = await rawServer((response, { url }) =>
    (url.endsWith('/token') ? issuesToken : sends(204))(response),
  );
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
