import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { HubFleet, nodeHandler, type OrderEvent, PushRefusedError } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { expect, it, onTestFinished } from 'vitest';
import { pushOf } from '../events/push/support.js';
import { hubWith, stores } from '../fleet/support.js';
import { afterAdvance, clientOf, stage } from '../support.js';
import { served } from '../temporary.js';

it('receives pushes with node:http', async () => {
  const { hub, mock, clock } = stage();
  const saved: string[] = [];
  const save = async (event: OrderEvent) => void saved.push(event.orderId);
  const port = 0;
  // #region node-http
  const poller = hub.poller({ intervalMs: 5 * 60_000 }); // a poll brings what no push has brought
  poller.on('CREATED', (event) => save(event)); // resolved: the hub gets 200
  await poller.start();

  const server = createServer(nodeHandler(poller));
  server.listen(port);
  // #endregion
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const pushing = mock.push((request) => poller.receive(request));
  const { orderId } = mock.createOrder();
  await clock.advance('1s');
  expect((server.address() as AddressInfo).port).toBeGreaterThan(0);
  expect(pushing.deliveries).toMatchObject([{ status: 200 }]);
  expect(saved).toEqual([orderId]);
});

it('receives pushes in a fetch-style server', async () => {
  const { hub, mock, clock } = stage();
  const poller = hub.poller().on('event', () => {});
  await poller.start();
  const fetchStyle = () => {
    // #region fetch-style
    const handle = (request: Request) => poller.receive(request);
    // Bun.serve({ port, fetch: handle }), Deno.serve({ port }, handle), Hono: app.post('/newEvent', (c) => handle(c.req.raw))
    // #endregion
    return handle;
  };
  const pushing = mock.push(fetchStyle());
  mock.createOrder();
  await clock.advance('1s');
  expect(pushing.deliveries).toMatchObject([{ status: 200 }]);
});

/** A hub that the client reaches without the global fetch, which the test uses for its own server. */
function socketStage() {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  return { mock, ...clientOf(mock, { clock, fetch: mock.fetch }) };
}

/** Sends a push, as Python's json module writes it, to a server. */
async function post(url: string, event: object, secret?: string): Promise<number> {
  const body = JSON.stringify(event, undefined, 1);
  const { headers } = pushOf(body, { 'content-type': 'application/json', ...(secret && { secret }) });
  return (await fetch(`${url}/newEvent`, { method: 'POST', headers, body })).status;
}

it('receives pushes in Express, with its body parser on', async () => {
  const { hub, mock } = socketStage();
  const saved: string[] = [];
  const poller = hub.poller().on('CREATED', ({ orderId }) => void saved.push(orderId));
  // #region express
  const app = express();
  // The parser of your other routes keeps the raw bytes too: the signature covers them.
  app.use(
    express.json({ verify: (request, _response, bytes) => Object.assign(request, { rawBody: bytes }) }),
  );
  app.post('/newEvent', nodeHandler(poller));
  // #endregion
  app.post('/other', (request, response) => void response.json(request.body));
  const { event, orderId } = mock.createOrder();
  const url = await served(app);
  expect(await post(url, event)).toBe(200);
  expect(await post(url, event, 'guessed')).toBe(403);
  const headers = { 'content-type': 'application/json' };
  const other = await fetch(`${url}/other`, { method: 'POST', headers, body: '{ "a": 1 }' });
  expect(await other.json()).toEqual({ a: 1 });
  expect(saved).toEqual([orderId]);
});

it('receives pushes in Fastify, with its body parser on', async () => {
  const { hub, mock } = socketStage();
  const saved: string[] = [];
  const poller = hub.poller().on('CREATED', ({ orderId }) => void saved.push(orderId));
  // #region fastify
  const app = fastify(); // its JSON parser stays on for your other routes
  await app.register(async (scope) => {
    // In this scope a body stays as it came, a Buffer: the signature covers the raw bytes.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.post('/newEvent', async ({ url, headers, body }, reply) => {
      const given = { headers: headers as Record<string, string>, body: new Uint8Array(body as Buffer) };
      return reply.send(
        await poller.receive(new Request(`http://localhost${url}`, { method: 'POST', ...given })),
      );
    });
  });
  // #endregion
  app.post('/other', async ({ body }) => body);
  onTestFinished(() => app.close());
  const { event, orderId } = mock.createOrder();
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  expect(await post(url, event)).toBe(200);
  expect(await post(url, event, 'guessed')).toBe(403);
  const headers = { 'content-type': 'application/json' };
  const other = await fetch(`${url}/other`, { method: 'POST', headers, body: '{ "a": 1 }' });
  expect(await other.json()).toEqual({ a: 1 });
  expect(saved).toEqual([orderId]);
});

it('verifies a push and passes it on', async () => {
  const { hub, mock } = stage();
  const queued = new Map<string, OrderEvent>();
  const queue = { add: async (id: string, event: OrderEvent) => void queued.set(id, event) };
  const oldSecret = 'until Monday';
  // #region verify
  async function newEvent(request: Request): Promise<Response> {
    try {
      const events = await hub.events.verify(request, { secrets: [oldSecret] });
      for (const event of events) await queue.add(event.eventId, event); // it may come again: use its id
      return new Response(null, { status: 200 });
    } catch (error) {
      if (!(error instanceof PushRefusedError)) throw error; // 500: the hub sends it again
      return new Response(error.message, { status: error.status });
    }
  }
  // #endregion
  const { event } = mock.createOrder();
  const pushes = [pushOf(event), pushOf(event, { secret: oldSecret }), pushOf(event, { secret: 'guessed' })];
  const statuses = pushes.map(async (push) => (await newEvent(push)).status);
  expect(await Promise.all(statuses)).toEqual([200, 200, 403]);
  expect([...queued.values()]).toEqual([event]);
});

it('replaces a secret', async () => {
  const { hub } = stage();
  const oldSecret = 'until Monday';
  // #region secrets
  const poller = hub.poller({ pushSecrets: [oldSecret] }); // beside the clientSecret of the HubClient
  // #endregion
  expect(poller.health().status).toBe('idle');
});

it('receives the pushes of many stores', async () => {
  const all = stores(2);
  const { clock, mock: small } = stage();
  const mock = hubWith(all, { clock });
  const fleet = new HubFleet({ baseUrl: mock.baseUrl, fetch: mock.fetch, stores: all, clock });
  onTestFinished(async () => void (await fleet.stop({ timeoutMs: 0 })));
  const seen: string[] = [];
  fleet.on('event', (_event, { storeId }) => void seen.push(storeId));
  await afterAdvance(clock, '31s', fleet.start());
  // #region fleet
  const answer = (request: Request) => {
    const storeId = new URL(request.url).pathname.split('/')[2] ?? ''; // /stores/rua-augusta/newEvent
    return fleet.receive(storeId, request);
  };
  // #endregion
  mock.push((request) => answer(new Request('https://pos.example/stores/store-1/newEvent', request)), {
    clientId: '1001',
  });
  mock.createOrder({ clientId: '1001' });
  await clock.advance('1s');
  expect(seen).toEqual(['store-1']);
  small.reset();
});

it('is tested with mock.push', async () => {
  const { hub, mock, clock } = stage();
  const handled: string[] = [];
  const poller = hub.poller().on('CREATED', ({ orderId }) => void handled.push(orderId));
  // #region testing
  await poller.start();
  const pushing = mock.push((request) => poller.receive(request));
  const { orderId } = mock.createOrder();
  await clock.advance('1s');
  expect(pushing.deliveries).toMatchObject([{ status: 200, attempt: 1 }]);
  expect(handled).toEqual([orderId]);
  expect(mock.pending()).toEqual([]); // a push that got 200 needs no acknowledgment
  // #endregion
});
