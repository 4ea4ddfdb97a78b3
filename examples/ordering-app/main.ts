/**
 * A small ordering application: receives a store's orders, saves each of them
 * exactly once, shows them on a page, and sends a command to the hub when a
 * person presses a button. The page also shows what happened to an order.
 *
 * With HUB_BASE_URL, HUB_CLIENT_ID and HUB_CLIENT_SECRET it works for that
 * store. Without them it uses a mock hub. PORT is the port of the page (default
 * 3000). DATA_DIR is the directory of the database and of the client's state
 * (default: in memory). With AUTO_CONFIRM=1 new orders are confirmed without a
 * click. With DRIVE=1 a rehearsal (`opendelivery certify`) acts for the person,
 * and HUB_SCALE is the speed of its clock.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { type Clock, closeOnSignal, fileState, HubClient, type StopReport } from 'opendelivery-client';
import { scaledClock } from 'opendelivery-client/testing';
import { Commands } from './commands.js';
import { startDemoHub } from './demo-hub.js';
import { driveRoutes } from './drive.js';
import { OrderBook } from './order-book.js';
import { receiveEvents } from './receiver.js';
import { routes } from './routes.js';

export interface OrderingApp {
  readonly url: string;
  /** Resolves after the first successful poll; rejects if the hub refuses the credentials. */
  readonly started: Promise<void>;
  stop(): Promise<StopReport>;
}

export async function startApp(
  hub: HubClient,
  {
    port = 0,
    dataDir,
    now,
    isAutomatic = false,
    isDriven = false,
  }: {
    port?: number;
    dataDir?: string | undefined;
    now?: (() => number) | undefined;
    /** Confirms new orders without a click. */
    isAutomatic?: boolean;
    /** Confirms orders by itself, and serves `/drive` for a rehearsal. */
    isDriven?: boolean;
  } = {},
): Promise<OrderingApp> {
  const orders = await OrderBook.open(dataDir);
  const receiver = receiveEvents(hub, orders, isAutomatic || isDriven);
  const commands = new Commands(hub, orders, now);
  const app = routes({ orders, commands, receiver, now });
  if (isDriven) app.route('/drive', driveRoutes({ hub, orders, commands, receiver }));
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  // This machine only: the page shows customers' names and addresses, and has no login.
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    const report = await receiver.poller.stop();
    server.close();
    await hub.close(); // aborts running requests
    await commands.settled();
    server.closeAllConnections();
    orders.close();
    return report;
  };
  let stopped: Promise<StopReport> | undefined;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    started: receiver.poller.start(),
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Keeps the client's state beside the orders, so that a restart needs no new token. */
function createClient(dataDir: string | undefined, clock: Clock): HubClient {
  return HubClient.fromEnv({ clock, ...(dataDir && { state: fileState(join(dataDir, 'hub')) }) });
}

async function main(): Promise<void> {
  const { HUB_BASE_URL, PORT, DATA_DIR, AUTO_CONFIRM, DRIVE, HUB_SCALE } = process.env;
  const demo = HUB_BASE_URL ? undefined : startDemoHub();
  const clock = demo?.clock ?? scaledClock(Number(HUB_SCALE || 1));
  const hub = demo ? new HubClient(demo.options) : createClient(DATA_DIR, clock);
  const app = await startApp(hub, {
    port: Number(PORT || 3000),
    dataDir: DATA_DIR || undefined,
    now: () => clock.now(),
    isAutomatic: AUTO_CONFIRM === '1',
    isDriven: DRIVE === '1',
  });
  console.log(`orders: ${app.url} (stop with Ctrl-C)`);
  const all = {
    close: () => {
      demo?.stop();
      return app.stop();
    },
  };
  closeOnSignal(all);
  try {
    await app.started;
  } catch (error) {
    await all.close();
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
