import { type HubClient, type HubClientOptions, UnexpectedStatusError } from 'opendelivery-client';
import { createMockHub } from 'opendelivery-client/testing';
import { Agent, interceptors } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clientOf, failure, rawServer, sends } from '../http/support.js';
import { some } from '../runs.js';

const CALLS: ReadonlyArray<[endpoint: string, call: (hub: HubClient) => Promise<unknown>]> = [
  ['token', (hub) => hub.auth.renew()],
  ['merchant', (hub) => hub.merchant.get({ fresh: true })],
  ['polling', (hub) => hub.events.poll()],
  ['acknowledgment', (hub) => hub.events.acknowledge([{ eventId: '1', orderId: '1', eventType: 'CREATED' }])],
  ['order', (hub) => hub.orders.get('1')],
  ['orderStatus', (hub) => hub.orders.confirm('1')],
];

/** Targets of a redirect; `%` is replaced by the address of another server. */
const TARGETS: ReadonlyArray<[what: string, location: string | undefined]> = [
  ['to another origin', '%/opendelivery/v1/merchant'],
  ['to the same origin', '/opendelivery/v1/elsewhere'],
  ['to itself', ''],
  ['without a scheme', '//elsewhere.example/'],
  ['to an invalid address', 'http://[::1'],
  ['without a location', undefined],
];

const redirecting = (agent: Agent) => agent.compose(interceptors.redirect({ maxRedirections: 5 }));

const WAYS: ReadonlyArray<[way: string, options: () => Partial<HubClientOptions>]> = [
  ['an Agent of our own', () => ({})],
  ["Node's own fetch", () => ({ fetch: (url, init) => globalThis.fetch(url, init) })],
  ['a dispatcher that follows redirects', () => ({ dispatcher: redirecting(new Agent()) })],
];

/** Each status with one target, and each target with one status. */
const REDIRECTS = [
  ...[300, 301, 303, 305, 307, 308].map(
    (status) => [status, ...(TARGETS[0] as (typeof TARGETS)[0])] as const,
  ),
  ...TARGETS.map((target) => [302, ...target] as const),
];

describe.each(WAYS)('over %s', (_way, options) => {
  it.each(some(REDIRECTS, 3))(
    'a %i %s is not followed, and no credential is sent to the target',
    async (status, _what, location) => {
      const token = sends(200, '{"access_token":"a-token","expires_in":604800}');
      const other = await rawServer(token);
      const headers = location === undefined ? {} : { location: location.replace('%', other.url) };
      let isRedirecting = false;
      const server = await rawServer((response) =>
        (isRedirecting ? sends(status, '', headers) : token)(response),
      );
      const { hub } = clientOf(server.url, options());
      await hub.auth.getToken();
      isRedirecting = true;
      for (const [endpoint, call] of CALLS) {
        expect(await failure(call(hub), UnexpectedStatusError)).toMatchObject({ status, endpoint });
      }
      // One request per call, and none to another address.
      expect(server.requests).toHaveLength(1 + CALLS.length);
      expect(server.requests.filter(({ url }) => url.includes('elsewhere'))).toEqual([]);
      expect([other.connections, other.requests.length]).toEqual([0, 0]);
    },
  );
});

it('headers of a successful response that name another address are not followed', async () => {
  const other = await rawServer(sends(200, '{}'));
  const server = await rawServer(
    sends(201, '{"id":"1"}', {
      location: `${other.url}/a`,
      refresh: `0; url=${other.url}/b`,
      link: `<${other.url}/c>; rel="next"`,
      'content-location': `${other.url}/d`,
      'alt-svc': `h2="${other.url.slice(7)}"`,
    }),
  );
  const { hub } = clientOf(server.url);
  await hub.merchant.get({ fresh: true });
  await hub.merchant.get({ fresh: true });
  expect([server.requests.length, other.connections]).toEqual([2, 0]);
});

it.each([
  '%/opendelivery/v1/orders/1',
  'http://user:password@%/orders/1',
  'javascript:fetch("%")',
  '/opendelivery/v1/merchant',
  '../../oauth/token',
  '//%/orders/1',
  'file:///etc/passwd',
  'data:text/plain,x',
  '',
])('the orderURL %j of an event is never requested', async (orderURL) => {
  const other = await rawServer(sends(200, '{}'));
  const mock = createMockHub();
  const server = await mock.listen();
  onTestFinished(async () => void (await server.close()));
  const requested: string[] = [];
  const { hub } = clientOf(server.url, {
    fetch: async (url, init) => {
      const response = await globalThis.fetch(url, init);
      requested.push(new URL(String(url)).pathname);
      if (!String(url).endsWith('/events:polling')) return response;
      const events = (await response.json()) as object[];
      const given = orderURL.replace('%', other.url.slice(orderURL.startsWith('%') ? 0 : 7));
      return Response.json(events.map((event) => ({ ...event, orderURL: given })));
    },
  });
  const { orderId } = mock.createOrder();
  const report = await hub
    .poller()
    .on('CREATED', async (event) => {
      expect(event.orderURL).toContain(orderURL.split('%')[0]);
      await hub.orders.get(event.orderId);
    })
    .runOnce();
  expect(report).toMatchObject({ handled: 1, acknowledged: 1 });
  expect(requested).toEqual([
    '/opendelivery/oauth/token',
    '/opendelivery/v1/events:polling',
    `/opendelivery/v1/orders/${orderId}`,
    '/opendelivery/v1/events/acknowledgment',
  ]);
  expect(other.connections).toBe(0);
});
