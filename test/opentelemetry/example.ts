import { HubFleet } from 'opendelivery-client';
import { createMockHub, scaledClock } from 'opendelivery-client/testing';
import { startTelemetry } from '../../examples/opentelemetry.js';

const clock = scaledClock(100);
const mock = createMockHub({ clock });
const { baseUrl, fetch, credentials } = mock;
const fleet = new HubFleet({
  baseUrl,
  fetch,
  clock,
  stores: [{ storeId: 'pizzaria', ...credentials }],
  logger: false,
});
const endTelemetry = startTelemetry(fleet);
// On a busy machine a lease of scaled time may end during the first poll: the next one brings the event again.
const handled = new Promise<void>((resolve) => fleet.on('CREATED', () => resolve()));
mock.createOrder();
await fleet.start();
await handled;
await fleet.stop();
await endTelemetry();
