/**
 * A small ordering application: takes in a store's orders, keeps them, shows
 * them on a page, and moves them on when somebody presses a button.
 *
 * With HUB_BASE_URL, HUB_CLIENT_ID and HUB_CLIENT_SECRET set it works for that
 * store; without them it plays with a mock hub. PORT is the page's (default
 * 3000), DATA_DIR where the orders are kept, and with them the token and what
 * has been handled (default: in memory).
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { fileState, HubClient, type StopReport } from 'opendelivery-client';
import { Commands } from './commands.js';
import { OrderBook } from './order-book.js';
import { pretendHub } from './pretend-hub.js';
import { receiveEvents } from './receive.js';
import { routes } from './routes.js';

export interface OrderingApp {
  readonly url: string;
  /** Resolves after the first good poll; rejects when the hub refuses the credentials. */
  readonly started: Promise<void>;
  stop(): Promise<StopReport>;
}

export async function startApp(
  hub: HubClient,
  { port = 0, dataDir }: { port?: number; dataDir?: string | undefined } = {},
): Promise<OrderingApp> {
  const orders = OrderBook.open(dataDir);
  const receiver = receiveEvents(hub, orders);
  const commands = new Commands(hub, orders);
  const app = routes({ orders, commands, receiver });
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  // This machine only: customers' names and addresses are on the page, and it asks nobody who they are.
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    started: receiver.poller.start(),
    async stop() {
      const report = await receiver.poller.stop();
      server.close();
      await hub.close(); // ends what is on its way to the hub
      await commands.settled();
      server.closeAllConnections();
      orders.close();
      return report;
    },
  };
}

/** With its state beside the orders a restart costs no token. */
function hubOf(dataDir: string | undefined): HubClient {
  return HubClient.fromEnv(dataDir ? { state: fileState(join(dataDir, 'hub')) } : {});
}

async function main(): Promise<void> {
  const { HUB_BASE_URL, PORT, DATA_DIR } = process.env;
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const pretend = HUB_BASE_URL ? undefined : pretendHub();
  const hub = pretend ? new HubClient(pretend.options) : hubOf(DATA_DIR);
  const app = await startApp(hub, { port: Number(PORT || 3000), dataDir: DATA_DIR || undefined });
  console.log(`the orders are at ${app.url} (Ctrl-C ends)`);
  try {
    await Promise.race([app.started, interrupted]);
    await interrupted;
  } finally {
    pretend?.close();
    const { handled, unacknowledged } = await app.stop();
    console.log(`ended: ${handled} events taken in, ${unacknowledged.length} left at the hub`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
