import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { signatureOf } from '../events/push/support.js';
import { send, servedConsole } from './console/support.js';

/** A mock hub with its control API, and a webhook that keeps what arrives with a right signature. */
async function served() {
  const { url, mock } = await servedConsole();
  const received: string[] = [];
  const webhook = createServer(async (request, response) => {
    const body = await text(request);
    const isSigned = request.headers['x-app-signature'] === signatureOf(body);
    if (isSigned) received.push(JSON.parse(body).eventId);
    response.writeHead(isSigned ? 200 : 403).end();
  });
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void webhook.close());
  const control = (method: string, body?: unknown) => send(url, method, 'pushes', body);
  return { mock, received, control, url: `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/` };
}

it('the control API pushes the events of all stores to one address, until it is told to stop', async () => {
  const { mock, received, control, url } = await served();
  expect((await control('PUT', { url })).status).toBe(200);
  // Again: the first one does not go on.
  expect((await control('PUT', { url, alsoPolled: true })).status).toBe(200);
  const { event } = mock.createOrder();
  await expect.poll(() => received).toEqual([event.eventId]);
  expect(mock.pending()).toHaveLength(1);
  await expect.poll(async () => (await control('GET')).body).toMatchObject([{ status: 200, attempt: 1 }]);
  expect((await control('DELETE')).status).toBe(200);
  mock.createOrder();
  expect((await control('GET')).body).toEqual([]);
  expect(received).toHaveLength(1);
});

it('the control API refuses an address that is not one', async () => {
  const { control } = await served();
  for (const body of [{}, { url: 'nowhere' }, { url: 'http://localhost', secret: 'x' }]) {
    expect((await control('PUT', body)).status).toBe(400);
  }
});
