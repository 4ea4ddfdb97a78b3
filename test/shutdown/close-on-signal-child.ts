/** Handles the orders of the hub at HUB_URL until a signal ends it; SLOW: its listeners never end. */
import { createServer } from 'node:http';
import { closeOnSignal, HubClient } from 'opendelivery-client';

const { HUB_URL = '', CLIENT_ID = '', CLIENT_SECRET = '', SLOW, BROKEN, TIMEOUT_MS } = process.env;
const hub = new HubClient({
  baseUrl: HUB_URL,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  logger: false,
});
const poller = hub.poller();
poller.on('event', () => {
  console.log('listening');
  return SLOW ? new Promise(() => {}) : undefined;
});
poller.on('acknowledged', () => console.log('acknowledged'));
const server = createServer().listen(0, '127.0.0.1');
const broken = { close: () => Promise.reject(new Error('the pool is broken')) };
closeOnSignal(hub, ...(BROKEN ? [broken] : []), server, {
  timeoutMs: Number(TIMEOUT_MS ?? 30_000),
});
await poller.start();
