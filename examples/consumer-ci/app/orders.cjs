/**
 * Your database, as this module needs it.
 *
 * @typedef {object} OrderTable
 * @property {(orderId: string, order: import('opendelivery-client').Order) => Promise<void>} save - by key: it may run twice for one order.
 * @property {(orderId: string) => Promise<void>} remove - of an order that is not there: nothing to do.
 */

/**
 * Receives the orders of one store: each is written down, then confirmed at the hub.
 *
 * @param {object} parts
 * @param {import('opendelivery-client').HubClient} parts.hub
 * @param {OrderTable} parts.table
 * @param {(message: string) => void} [parts.log]
 * @returns the running poller; `stop()` it before the table is closed.
 */
exports.receiveOrders = async ({ hub, table, log = console.error }) => {
  const poller = hub.poller();

  // Resolved, the hub forgets the event; thrown, it sends it again, and all of this runs again.
  poller.on('CREATED', async ({ orderId }) => {
    const { order } = await hub.orders.get(orderId);
    const lastEvent = order.lastEvent ?? 'CREATED';
    if (lastEvent !== 'CANCELLED') await table.save(orderId, order);
    // Looked at first: an earlier run may have confirmed it, and twice is refused.
    if (lastEvent === 'CREATED') await hub.orders.confirm(orderId);
  });
  poller.on('CANCELLED', ({ orderId }) => table.remove(orderId));
  poller.on('error', (error) => log(error.message));

  await poller.start();
  return poller;
};
