import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { Commands } from './commands.js';
import { COMMANDS, type CommandName } from './lifecycle.js';
import { localOnly } from './local-only.js';
import type { OrderBook } from './order-book.js';
import { liveView, page } from './page.js';
import type { Receiver } from './receive.js';

export interface RouteParts {
  readonly orders: OrderBook;
  readonly commands: Commands;
  readonly receiver: Receiver;
}

/** The page, what of it changes, and its buttons. */
export function routes({ orders, commands, receiver }: RouteParts): Hono {
  const live = async () =>
    liveView({
      orders: orders.list(),
      health: receiver.poller.health(),
      failures: [...receiver.failures.values()],
    });

  const app = new Hono();
  // No script but our own runs on the page, and no other site reads it or presses its buttons.
  app.use(secureHeaders({ contentSecurityPolicy: { defaultSrc: ["'self'"] } }), localOnly);
  app.get('/', async (c) => c.html(page(await live())));
  app.get('/live', async (c) => c.html(await live()));
  app.post('/commands', async (c) => {
    const { orderId, command, reason, words } = await c.req.parseBody<Record<string, string>>();
    if (!orderId || !isCommand(command)) return c.text('No such command.', 400);
    const isSent = await commands.run(orderId, command, { code: reason, words });
    if (!isSent) return c.text('Nothing was sent: the order has moved on, or this is on its way.', 409);
    return c.redirect('/', 303);
  });
  app.use(serveStatic({ root: fileURLToPath(new URL('public', import.meta.url)) }));
  return app;
}

const isCommand = (name: string | undefined): name is CommandName =>
  name !== undefined && Object.hasOwn(COMMANDS, name);
