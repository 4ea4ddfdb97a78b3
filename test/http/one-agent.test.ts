import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HubClient } from 'opendelivery-client';
import { expect, it, onTestFinished } from 'vitest';
import { Transport } from '../../src/http/transport.js';

it('opens at most 64 connections, also for a hundred requests that are the first ones', async () => {
  let connections = 0;
  const server = createServer((_request, response) => response.end());
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = new Transport({});
  onTestFinished(async () => {
    await transport.close();
    server.close();
  });
  const target = { origin, path: '/', href: `${origin}/` };
  const request = { method: 'GET', target, headers: {}, maxBytes: 1000, maxErrorBytes: 1000 } as const;
  const exchanges = Array.from({ length: 100 }, () =>
    transport.exchange(request, new AbortController().signal),
  );
  for (const { status } of await Promise.all(exchanges)) expect(status).toBe(200);
  expect(connections).toBeGreaterThan(1);
  expect(connections).toBeLessThanOrEqual(64);
});

it('sends the first token request and the polls after it over one connection', async () => {
  let connections = 0;
  const server = createServer((request, response) => {
    if (request.method === 'GET') response.writeHead(204).end();
    else response.end('{"access_token":"a-token","token_type":"bearer","expires_in":604800}');
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const hub = new HubClient({ baseUrl, clientId: '1001', clientSecret: 'a secret' });
  onTestFinished(async () => {
    await hub.close();
    server.close();
  });
  await hub.events.poll();
  await new Promise(setImmediate);
  await hub.events.poll();
  expect(connections).toBe(1);
});
