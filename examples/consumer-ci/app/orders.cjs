/**
 * The database, as this module uses it.
 *
 * @typedef {object} OrderTable
 * @property {(orderId: string, order: import('opendelivery-client').Order) => Promise<void>} save - must be idempotent: it may run twice for one order.
 * @property {(orderId: string) => Promise<void>} remove - does nothing if the order does not exist.
 */

/**
 * Receives the orders of one store: saves each order, then confirms it at the hub.
 *
 * @param {object} parts
 * @param {import('opendelivery-client').HubClient} parts.hub
 * @param {OrderTable} parts.table
 * @param {(message: string) => void} [parts.log]
 * @returns the running poller; call its `stop()` before you close the table.
 */
exports.receiveOrders = async ({ hub, table, log = console.error }) => {
  // A hub cancels an order that is not confirmed within ten minutes: what has failed runs again at every poll.
  const poller = hub.poller({ retryDelayMs: { max: 30_000 } });

  // If this resolves, the event is acknowledged. If it throws, the hub sends the event again.
  poller.on('CREATED', async ({ orderId }) => {
    const { order } = await hub.orders.get(orderId);
    if (order.lastEvent === 'CANCELLED') return;
    await table.save(orderId, order);
    await hub.orders.confirm(orderId); // resolves too if an earlier attempt has confirmed the order
  });
  poller.on('CANCELLED', ({ orderId }) => table.remove(orderId));
  poller.on('error', (error) => log(error.message));

  await poller.start();
  return poller;
};
