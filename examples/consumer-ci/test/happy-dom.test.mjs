// @vitest-environment happy-dom
// happy-dom replaces Node's fetch with its own, which enforces CORS like a browser.
import { setupServer } from 'msw/node';
import { HubClient } from 'opendelivery-client';
import { createMockHub } from 'opendelivery-client/testing';
import { expect, it, vi } from 'vitest';

it('MSW intercepts it', async () => {
  const mock = createMockHub();
  const server = setupServer(...mock.handlers);
  server.listen({ onUnhandledRequest: 'error' });
  const hub = new HubClient({ baseUrl: mock.baseUrl, ...mock.credentials });
  expect((await hub.merchant.get()).issues).toEqual([]);
  await hub.close();
  server.close();
});

it('without MSW it blocks requests to a hub, because hubs send no CORS headers', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  const mock = createMockHub();
  const { url, close } = await mock.listen();
  const hub = new HubClient({ baseUrl: url, ...mock.credentials });
  await expect(hub.merchant.get()).rejects.toThrow('Cross-Origin Request Blocked');
  expect(mock.requests.map(({ method }) => method)).toEqual(['OPTIONS']);

  // Workaround: pass a fetch to the client, or run the file in the environment `node`.
  const working = new HubClient({ baseUrl: url, ...mock.credentials, fetch: mock.fetch });
  expect((await working.merchant.get()).issues).toEqual([]);
  await Promise.all([hub.close(), working.close(), close()]);
});
