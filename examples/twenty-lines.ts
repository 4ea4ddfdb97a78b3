import { HubClient, type Order } from 'opendelivery-client';

const orders = new Map<string, Order>(); // your database

const hub = HubClient.fromEnv(); // HUB_BASE_URL, HUB_BASE_PATH, HUB_CLIENT_ID, HUB_CLIENT_SECRET, HUB_API_KEY

const poller = hub.poller();
poller.on('CREATED', async (event) => {
  const { order } = await hub.orders.get(event.orderId);
  orders.set(event.orderId, order); // may run twice for one event: save by key
  if ((order.lastEvent ?? 'CREATED') === 'CREATED') await hub.orders.confirm(event.orderId);
  console.log(`order ${order.displayId} saved`);
}); // resolves: the event is acknowledged; throws: the hub sends it again
poller.on('CANCELLED', (event) => void orders.delete(event.orderId));
poller.on('error', (error) => console.error(error.message));
poller.on('started', async () => {
  const { merchant } = await hub.merchant.get();
  console.log(`${merchant.basicInfo.name}: ${merchant.itemOffers.length} offers`);
});
const stop = async () => console.log(await hub.close()); // waits for listeners, and acknowledges what they have handled
process.once('SIGINT', stop).once('SIGTERM', stop); // Ctrl-C, and the end of a container
await poller.start(); // resolves after the first successful poll, or when it is stopped
