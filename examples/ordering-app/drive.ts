import { Hono } from 'hono';
import { html } from 'hono/html';
import type { HubClient } from 'opendelivery-client';
import type { RouteParts } from './routes.js';
import { isCommand } from './routes.js';
import { STAGE_NAMES } from './texts.js';
import { ticket } from './ticket.js';

interface DriveParts extends Pick<RouteParts, 'orders' | 'commands' | 'receiver'> {
  readonly hub: HubClient;
}

/** What `opendelivery certify --drive` requests: a command of an order, what the store sees of it, and pushes. */
// #region routes
export function driveRoutes({ hub, orders, commands, receiver }: DriveParts): Hono {
  const app = new Hono();
  app.post('/', async (c) => {
    const { orderId, action, data = {} } = await c.req.json();
    if (!isCommand(action)) return c.text('Comando desconhecido.', 400);
    const { code, reason: comment, mode } = data;
    const isSent = await commands.run(orderId, action, { code, comment, mode });
    return isSent ? c.body(null, 204) : c.text('O comando não é possível agora.', 409);
  });
  app.get('/orders/:orderId', (c) => {
    const order = orders.find(c.req.param('orderId'));
    if (!order) return c.text('Pedido desconhecido.', 404);
    return c.html(html`<p>${STAGE_NAMES[order.progress.stage]}</p>${ticket(order)}`);
  });
  app.post('/newEvent', async (c) => {
    const { merchant } = await hub.merchant.get();
    const shop = c.req.header('x-app-merchantid');
    if (!c.req.header('x-app-signature')) return c.text('The signature is missing.', 401);
    if (shop !== merchant.id) return c.text('The shop is not known.', 404);
    const response = await receiver.poller.receive(c.req.raw);
    return response.ok ? c.body(null, 204) : response;
  });
  return app;
}
// #endregion
