import { createMockHub } from 'opendelivery-client/testing';
import { Agent, interceptors } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { clientOf, passesOn, rawServer, sends } from './support.js';

it("a redirect interceptor in the application's dispatcher does not send the key to another host", async () => {
  const target = await rawServer(passesOn(createMockHub()));
  const server = await rawServer(sends(307, '', { location: `${target.url}/opendelivery/v1/merchant` }));
  const agent = new Agent();
  onTestFinished(async () => void (await agent.close()));
  const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: 3 }));
  const { hub } = clientOf(server.url, { dispatcher });
  await expect(hub.merchant.get()).rejects.toMatchObject({ code: 'unexpected_status', status: 307 });
  expect(target.requests).toEqual([]);
});
