// @vitest-environment happy-dom
// happy-dom puts a fetch of its own in the place of Node's. As in a browser, it asks other origins for leave.
import { setupServer } from 'msw/node';
import { HubClient } from 'opendelivery-client';
import { createMockHub } from 'opendelivery-client/testing';
import { expect, it, vi } from 'vitest';

it('MSW goes before it', async () => {
  const mock = createMockHub();
  const server = setupServer(...mock.handlers);
  server.listen({ onUnhandledRequest: 'error' });
  const hub = new HubClient({ baseUrl: mock.baseUrl, ...mock.credentials });
  expect((await hub.merchant.get()).issues).toEqual([]);
  await hub.close();
  server.close();
});

it('on its own it lets no request through to a hub, which gives no leave to browsers', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  const mock = createMockHub();
  const { url, close } = await mock.listen();
  const hub = new HubClient({ baseUrl: url, ...mock.credentials });
  await expect(hub.merchant.get()).rejects.toThrow('Cross-Origin Request Blocked');
  expect(mock.requests.map(({ method }) => method)).toEqual(['OPTIONS']);

  // The way round it: give the client a fetch. (Or run the file in the environment `node`.)
  const free = new HubClient({ baseUrl: url, ...mock.credentials, fetch: mock.fetch });
  expect((await free.merchant.get()).issues).toEqual([]);
  await Promise.all([hub.close(), free.close(), close()]);
});
