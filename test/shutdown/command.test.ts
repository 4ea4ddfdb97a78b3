import { ClosedError } from 'opendelivery-client';
import { expect, it } from 'vitest';
import { stage } from '../support.js';

it('a command that close interrupted may have been carried out, and its error says so', async () => {
  const { clock, mock, hub } = stage({ latencyMs: 1000 });
  const { orderId } = mock.createOrder();
  const token = hub.auth.getToken();
  await clock.advance('2s');
  await token;
  const sent = hub.orders.confirm(orderId).catch((error: unknown) => error);
  await clock.advance(100);
  await hub.close();
  const failure = await sent;
  expect(failure).toBeInstanceOf(ClosedError);
  expect(failure).toMatchObject({ outcome: 'unknown' });
  expect(mock.emitted().map(({ eventType }) => eventType)).toContain('CONFIRMED');
});
