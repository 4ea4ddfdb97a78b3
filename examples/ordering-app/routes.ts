import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { NextCommand } from 'opendelivery-client';
import type { Commands } from './commands.js';
import { historyPage } from './history.js';
import { localOnly } from './local-only.js';
import type { OrderBook } from './order-book.js';
import { liveView, page } from './page.js';
import type { Receiver } from './receiver.js';
import { COMMAND_NAMES } from './texts.js';
import { ticket } from './ticket.js';

export interface RouteParts {
  readonly orders: OrderBook;
  readonly commands: Commands;
  readonly receiver: Receiver;
  /** Epoch ms on the hub's clock; default: this machine's. */
  readonly now?: (() => number) | undefined;
}

/** Serves the page, its changing part, and the commands of its buttons. */
export function routes({ orders, commands, receiver, now = Date.now }: RouteParts): Hono {
  const live = async () =>
    liveView({
      orders: orders.list(),
      health: receiver.poller.health(),
      failures: [...receiver.failures.values()],
      now: now(),
    });

  const app = new Hono();
  // The page runs only our own script. Other sites can neither read it nor send its commands.
  app.use(secureHeaders({ contentSecurityPolicy: { defaultSrc: ["'self'"] } }), localOnly);
  app.get('/', async (c) => c.html(page(await live())));
  app.get('/live', async (c) => c.html(await live()));
  app.get('/orders/:orderId/ticket', (c) => {
    const order = orders.find(c.req.param('orderId'));
    return order ? c.html(ticket(order)) : c.text('Pedido desconhecido.', 404);
  });
  app.get('/orders/:orderId/history', async (c) => {
    const orderId = c.req.param('orderId');
    const history = await orders.history(orderId);
    if (history.events.length === 0) return c.text('Pedido desconhecido.', 404);
    return c.html(historyPage(orders.find(orderId)?.details.displayId ?? orderId, history));
  });
  app.post('/commands', async (c) => {
    const { orderId, command, reason, comment } = await c.req.parseBody<Record<string, string>>();
    if (!orderId || !isCommand(command)) return c.text('Comando desconhecido.', 400);
    const isSent = await commands.run(orderId, command, { code: reason, comment });
    if (!isSent) return c.text('Nada foi enviado: o pedido mudou, ou um comando já está sendo enviado.', 409);
    return c.redirect('/', 303);
  });
  app.use(serveStatic({ root: fileURLToPath(new URL('public', import.meta.url)) }));
  return app;
}

export const isCommand = (name: string | undefined): name is NextCommand =>
  name !== undefined && Object.hasOwn(COMMAND_NAMES, name);
