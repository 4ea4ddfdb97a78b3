import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HubFleet, nodeHandler, type OrderEvent } from 'opendelivery-client';
import { expect, it, onTestFinished } from 'vitest';
import { hubWith, stores } from '../fleet/support.js';
import { stage } from '../support.js';

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
  const started = fleet.start();
  await clock.advance('31s');
  await started;
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
