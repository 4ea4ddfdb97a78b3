import { closeOnSignal, HubClient } from 'opendelivery-client';

const hub = HubClient.fromEnv(); // HUB_BASE_URL, HUB_BASE_PATH, HUB_CLIENT_ID, HUB_CLIENT_SECRET
const poller = hub.poller();
poller.on('CREATED', async ({ orderId }) => {
  const { order } = await hub.orders.get(orderId);
  console.log(`order ${order.displayId} saved`); // in your database, by its id: this may run twice
  if (order.lastEvent !== 'CANCELLED') await hub.orders.confirm(orderId);
}); // resolves: the event is acknowledged; throws: the hub sends it again
poller.on('error', (error) => console.error(error.message));
closeOnSignal(hub); // Ctrl-C, the end of a container: waits for listeners, acknowledges what they have handled
await poller.start(); // resolves after the first successful poll
