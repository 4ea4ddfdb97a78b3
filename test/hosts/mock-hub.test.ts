import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clientOf, requestsTo, stage } from '../support.js';

describe('the mock hub of a profile', () => {
  it('responds for a token endpoint elsewhere: through MSW, and over HTTP under the same path', async () => {
    const profile = { tokenUrl: 'https://login.example/oauth2/token' };
    const { mock, hub } = stage({ profile }, { profile });
    await hub.events.poll();
    expect(requestsTo(mock, 'token').map(({ path, status }) => [path, status])).toEqual([
      ['/oauth2/token', 200],
    ]);

    const { url, close } = await mock.listen();
    onTestFinished(close);
    const { clientId, clientSecret } = mock.credentials;
    const body = new URLSearchParams({
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: 'client_credentials',
    });
    const post = { method: 'POST', body };
    expect((await mock.fetch(`${url}/oauth2/token`, post)).status).toBe(200);
    expect((await mock.fetch(`${url}/opendelivery/oauth/token`, post)).status).toBe(404);
  });

  it('shows no client secret, whatever its field is called', async () => {
    const token = { fields: { clientSecret: 'senha' } };
    for (const body of ['form', 'json'] as const) {
      const profile = { token: { ...token, body } };
      const { mock, hub } = stage({ profile, baseUrl: `https://${body}.example` }, { profile });
      await hub.auth.getToken();
      expect(mock.requests[0]?.body).toMatch(/senha"?[:=]"?\[credential 1\]/);
      expect(JSON.stringify(mock.requests)).not.toContain(mock.credentials.clientSecret);
    }
  });

  it('refuses a request without a header that the host requires, and reports it', async () => {
    const profile = { headers: { 'X-Partner': 'a-partner-key' } };
    const { mock, hub } = stage({ profile }, { headers: { 'x-partner': 'another-key' } });
    await expect(hub.merchant.get()).rejects.toMatchObject({ status: 401, endpoint: 'merchant' });
    expect(mock.violations()).toMatchObject([{ rule: 'host-header', endpoint: 'merchant' }]);
  });

  it('gives events an orderURL that can be requested', async () => {
    const profile = { basePath: '/hub', paths: { order: '/v2/{orderId}/order' } };
    const { mock } = stage({ profile });
    const { event } = mock.createOrder({ orderId: 'a/b' });
    expect(event.orderURL).toBe('https://hub.example/hub/v2/a%2Fb/order');
    const { url, close } = await mock.listen();
    onTestFinished(close);
    const { hub } = clientOf(mock, { baseUrl: url, profile, fetch: mock.fetch });
    const { events } = await hub.events.poll();
    expect(events[0]?.orderURL).toBe(`${url}/hub/v2/a%2Fb/order`);
  });

  it('takes single options before those of the profile, as the client does', async () => {
    const clock = new ManualClock();
    const profile = {
      basePath: '/a',
      headers: { 'x-one': '1', 'x-two': '2' },
      tokenUrl: 'https://login.example/token',
    };
    const mock = createMockHub({ clock, profile: { basePath: '/a' }, basePath: '/b' });
    const tokenUrl = `${mock.baseUrl}/b/oauth/token`;
    const options = { fetch: mock.fetch, clock, profile };
    const { hub } = clientOf(mock, { ...options, basePath: '/b', tokenUrl, headers: { 'x-two': 'own' } });
    await hub.events.poll();
    expect(mock.requests.map(({ path }) => path)).toEqual(['/b/oauth/token', '/b/v1/events:polling']);
    expect(mock.requests[1]?.headers).toMatchObject({ 'x-one': '1', 'x-two': 'own' });
  });
});
