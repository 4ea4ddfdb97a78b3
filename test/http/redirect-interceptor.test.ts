import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HubClient } from 'opendelivery-client';
import { createMockHub } from 'opendelivery-client/testing';
import { Agent, interceptors } from 'undici';
import { expect, it, onTestFinished } from 'vitest';

it("a redirect interceptor in the application's dispatcher does not send the key to another host", async () => {
  const elsewhere = createMockHub();
  const target = await elsewhere.listen();
  onTestFinished(async () => void (await target.close()));
  const server = createServer((_request, response) => {
    response.writeHead(307, { location: `${target.url}/opendelivery/v1/merchant` }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const agent = new Agent();
  onTestFinished(async () => void (await agent.close()));
  const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: 3 }));
  const hub = new HubClient({
    baseUrl: `http://127.0.0.1:${port}`,
    ...elsewhere.credentials,
    dispatcher,
    logger: false,
  });
  onTestFinished(async () => void (await hub.close()));
  await expect(hub.merchant.get()).rejects.toMatchObject({ code: 'unexpected_status', status: 307 });
  expect(elsewhere.requests).toEqual([]);
});
