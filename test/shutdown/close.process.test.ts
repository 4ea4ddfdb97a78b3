import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ClosedError, HubClient } from 'opendelivery-client';
import { createMockHub } from 'opendelivery-client/testing';
import { expect, it, onTestFinished } from 'vitest';
import { stage } from '../support.js';
import { countedSignal } from './listening.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsx = fileURLToPath(import.meta.resolve('tsx/cli'));

it('an idle client keeps no process alive, though its connection is open', async () => {
  const mock = createMockHub();
  const server = await mock.listen();
  onTestFinished(() => server.close());
  const script = `
    import { HubClient } from 'opendelivery-client';
    const hub = new HubClient(${JSON.stringify({ baseUrl: server.url, ...mock.credentials })});
    await hub.merchant.get();
    await hub.events.poll();
  `;
  const child = spawn(process.execPath, [tsx, '--input-type=module', '--eval', script], {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  // The hub keeps its side open; nothing but the child itself ends the child.
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(mock.requests.map(({ endpoint }) => endpoint)).toEqual(['merchant', 'token', 'polling']);
});

it('close leaves no socket', async () => {
  const sockets = new Set<unknown>();
  const server = createServer((_request, response) => response.end('{"id":"x"}'));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const hub = new HubClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key' });
  await hub.merchant.get();
  expect(sockets.size).toBe(1);
  const gone = new Promise<void>((resolve) => {
    for (const socket of sockets) (socket as NodeJS.EventEmitter).once('close', () => resolve());
  });
  await hub.close();
  await gone;
  expect(sockets.size).toBe(0);
});

it('close ends what is under way with ClosedError, and what comes after it', async () => {
  const { clock, mock, hub } = stage();
  mock.faults.next('merchant', 'hang');
  const hanging = hub.merchant.get();
  const token = hub.auth.getToken();
  const failed = expect(hanging).rejects.toBeInstanceOf(ClosedError);
  await clock.advance('1s');
  await token;
  await hub.close();
  await hub.close();
  await failed;
  await expect(hub.events.poll()).rejects.toBeInstanceOf(ClosedError);
  expect(clock.sleepers).toBe(0);
});

it('await using closes', async () => {
  const { mock, clock } = stage();
  let outside: HubClient;
  {
    await using hub = new HubClient({
      baseUrl: mock.baseUrl,
      ...mock.credentials,
      fetch: mock.fetch,
      clock,
      logger: false,
    });
    await hub.merchant.get();
    outside = hub;
  }
  await expect(outside.merchant.get()).rejects.toBeInstanceOf(ClosedError);
});

it("takes its listeners off the caller's signal again", async () => {
  const { mock, hub, clock } = stage();
  const { signal, counts } = countedSignal();
  const { orderId } = mock.createOrder();
  await hub.auth.getToken({ signal });
  await hub.merchant.get({ signal });
  await hub.orders.get(orderId, { signal });
  await hub.events.acknowledge((await hub.events.poll({ signal })).events, { signal });
  const poller = hub.poller();
  poller.on('event', () => {});
  const started = poller.start({ signal });
  await clock.advance('2m');
  await started;
  await poller.stop();
  expect(counts.added).toBeGreaterThan(4);
  expect(counts.removed).toBe(counts.added);
});
