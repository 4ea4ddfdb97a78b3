import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { signatureOf } from '../events/push/support.js';
import { served } from '../temporary.js';
import { send, servedConsole } from './console/support.js';

/** A mock hub with its control API, and a webhook that keeps what arrives with a right signature. */
async function pushing() {
  const { url, mock } = await servedConsole();
  const received: string[] = [];
  const webhook = await served(async (request, response) => {
    const body = await text(request);
    const secrets = mock.stores.map(({ clientSecret }) => clientSecret);
    const isSigned = secrets.some(
      (secret) => request.headers['x-app-signature'] === signatureOf(body, secret),
    );
    if (isSigned) received.push(JSON.parse(body).eventId);
    response.writeHead(isSigned ? 200 : 403).end();
  });
  const control = (method: string, body?: unknown, path = 'pushes') => send(url, method, path, body);
  return { mock, received, control, url: webhook };
}

it('the control API pushes the events of all stores to one address, until it is told to stop', async () => {
  const { mock, received, control, url } = await pushing();
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

it('the control API pushes the events of stores that are added later, with their new secret, and after a reset', async () => {
  const { mock, received, control, url } = await pushing();
  await control('PUT', { url });
  const sent: string[] = [];
  const create = async (clientId: string) => {
    sent.push(mock.createOrder({ clientId }).event.eventId);
    await expect.poll(() => received).toEqual(sent);
  };
  const store = { clientId: '2002', clientSecret: 'secret-of-2002', apiKey: 'key-of-store-2002' };
  await control('POST', store, 'stores');
  await create('2002');
  await control('POST', { ...store, clientSecret: 'another-secret' }, 'stores');
  await create('2002');
  await control('POST', {}, 'stores/2002/reset');
  await create('2002');
  await control('POST', {}, 'reset');
  await create('2002');
  await create('1001');
  expect((await control('GET')).body).toHaveLength(2);
});

it('the control API pushes only the events of the store that was named, also after others were added', async () => {
  const { mock, received, control, url } = await pushing();
  await control('PUT', { url, clientId: '1001' });
  await control('POST', { clientId: '2002', clientSecret: 'secret', apiKey: 'key' }, 'stores');
  await control('POST', {}, 'reset');
  mock.createOrder({ clientId: '2002' });
  const { event } = mock.createOrder({ clientId: '1001' });
  await expect.poll(() => received).toEqual([event.eventId]);
});

it('the control API refuses an address that is not one, and an unknown store, and goes on with the earlier push', async () => {
  const { mock, received, control, url } = await pushing();
  await control('PUT', { url });
  for (const body of [
    {},
    { url: 'nowhere' },
    { url: 'http://localhost', secret: 'x' },
    { url, clientId: 'unknown' },
  ]) {
    expect((await control('PUT', body)).status).toBe(400);
  }
  const { event } = mock.createOrder();
  await expect.poll(() => received).toEqual([event.eventId]);
  await expect.poll(async () => (await control('GET')).body).toHaveLength(1);
});
