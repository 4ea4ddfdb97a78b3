import { setupServer } from 'msw/node';
import { HubClient } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';

it('prints an order again when the printer was jammed', async () => {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const server = setupServer(...mock.handlers);
  server.listen({ onUnhandledRequest: 'error' });
  const hub = new HubClient({ baseUrl: mock.baseUrl, ...mock.credentials, clock });

  const printed: string[] = [];
  let jammed = true;
  const poller = hub.poller();
  poller.on('error', (error) => console.log(error.message));
  poller.on('CREATED', (event) => {
    if (jammed) throw new Error('paper jam');
    printed.push(event.orderId);
  });

  const { orderId } = mock.createOrder();
  await poller.start();
  await clock.advance('10s');
  expect(mock.pending()).toHaveLength(1); // not handled, so not acknowledged

  jammed = false;
  await clock.advance('30s'); // the next poll; this takes milliseconds
  expect(printed).toEqual([orderId]);
  expect(mock.pending()).toEqual([]);
  expect(mock.violations()).toEqual([]); // no limit of the hub was broken

  await hub.close();
  server.close();
});
