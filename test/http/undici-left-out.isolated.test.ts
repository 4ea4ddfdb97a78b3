import { expect, it, vi } from 'vitest';
import { clientOf, merchantDocument, rawServer, sends } from './support.js';

vi.mock('#undici', () => import('../../src/http/undici-left-out.js'));

/** As in a bundle for Workers that runs on Node.js, for example in a development server. */
it("uses the platform's fetch where the package leaves undici out, also if that is the fetch of Node.js", async () => {
  const server = await rawServer(sends(200, JSON.stringify(await merchantDocument())));
  const { hub } = clientOf(server.url);
  const [first, second] = [await hub.merchant.get(), await hub.merchant.get({ fresh: true })];
  expect([first.stale, second.stale]).toEqual([false, false]);
  // Only a fetch sends this header.
  expect(server.requests.map(({ headers }) => headers['sec-fetch-mode'])).toEqual(['cors', 'cors']);
});
