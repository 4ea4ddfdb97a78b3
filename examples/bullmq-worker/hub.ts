/** A mock hub with 200 stores and two new orders a second. */
import { setTimeout as pause } from 'node:timers/promises';
import { createMockHub } from 'opendelivery-client/testing';
import { HUB_URL, stores } from './stores.js';

const mock = createMockHub();
for (const { clientId } of stores) {
  const number = Number(clientId) - 1000;
  mock.addStore({ clientId, clientSecret: `secret-of-store-${number}`, apiKey: `key-of-store-${number}` });
}
const { url } = await mock.listen({ port: Number(new URL(HUB_URL).port) });
console.log(`the mock hub of ${stores.length} stores is at ${url}`);
for (;;) {
  const store = stores[Math.floor(Math.random() * stores.length)];
  if (store) mock.createOrder({ clientId: store.clientId });
  await pause(500);
}
