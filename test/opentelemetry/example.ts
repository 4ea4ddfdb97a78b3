import { HubFleet } from 'opendelivery-client';
import { createMockHub, scaledClock } from 'opendelivery-client/testing';
import { startTelemetry } from '../../examples/opentelemetry.js';

const clock = scaledClock(1000);
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
fleet.on('CREATED', () => {});
mock.createOrder();
await fleet.start();
await fleet.stop();
await endTelemetry();
