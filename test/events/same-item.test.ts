import { expect, it } from 'vitest';
import { requestsTo, stage } from '../support.js';

it('acknowledges two events that are one item for the hub with one item', async () => {
  const { clock, mock, hub } = stage();
  const poller = hub.poller();
  poller.on('event', () => {});
  const { orderId, event } = mock.createOrder();
  mock.emit('CREATED', { orderId, eventId: event.eventId, metadata: { a: 1 } });
  await poller.start();
  await clock.advance('2s');
  const [request] = requestsTo(mock, 'acknowledgment');
  expect(JSON.parse(request?.body ?? '')).toEqual([{ id: event.eventId, orderId, eventType: 'CREATED' }]);
});
