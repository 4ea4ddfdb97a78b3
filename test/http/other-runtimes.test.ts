import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { clientOf } from '../support.js';

afterEach(() => void vi.unstubAllGlobals());

const coded = (message: string, code: string) => Object.assign(new TypeError(message), { code });
const ofDeno = (kind: string) =>
  new TypeError('fetch failed', {
    cause: new Error(`error sending request for url (https://hub.example/): client error (${kind}): broken`),
  });

/** What their fetch rejects with, as seen in Bun 1.4, Deno 2.9 and workerd. */
const FAILURES: ReadonlyArray<readonly [what: string, userAgent: string, error: Error, isUnsent: boolean]> = [
  [
    'Bun, a reset',
    'Bun/1.4.5',
    coded('ECONNRESET: The socket connection was closed unexpectedly.', 'ECONNRESET'),
    false,
  ],
  ['Bun, refused', 'Bun/1.4.5', coded('ECONNREFUSED: Unable to connect.', 'ECONNREFUSED'), true],
  [
    'Bun, no host',
    'Bun/1.4.5',
    Object.assign(coded('getaddrinfo ENOTFOUND hub.example', 'ENOTFOUND'), { syscall: 'getaddrinfo' }),
    true,
  ],
  ['Deno, a reset', 'Deno/2.9.6', ofDeno('SendRequest'), false],
  [
    'Deno, a reset while reading',
    'Deno/2.9.6',
    new TypeError('fetch failed', { cause: new Error('Connection reset by peer (os error 104)') }),
    false,
  ],
  ['Deno, refused', 'Deno/2.9.6', ofDeno('Connect'), true],
  ['Workers', 'Cloudflare-Workers', new Error('Network connection lost.'), false],
];

/** Node has the shape of the others too. */
const ONLY_THERE = FAILURES.filter(([, , error]) => !error.cause);

/** A client whose first two requests fail in this way, after the token. */
function failing(userAgent: string, error: Error) {
  vi.stubGlobal('navigator', { userAgent });
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const { orderId } = mock.createOrder();
  let left = 2;
  const fetch: typeof mock.fetch = async (...request) => {
    if (!String(request[0]).endsWith('/token') && left-- > 0) throw error;
    return mock.fetch(...request);
  };
  const { hub } = clientOf(mock, { clock, fetch });
  return { clock, mock, hub, orderId };
}

describe('a failure of the network, by the fetch of', () => {
  it.each(FAILURES)('%s, is retried', async (_what, userAgent, error) => {
    const { clock, hub, orderId } = failing(userAgent, error);
    const [{ order }] = await Promise.all([hub.orders.get(orderId), clock.advance('5m')]);
    expect(order.id).toBe(orderId);
  });

  it.each(FAILURES)(
    '%s, resends a command only if it was not sent',
    async (_what, userAgent, error, isUnsent) => {
      const { clock, mock, hub, orderId } = failing(userAgent, error);
      const confirmed = hub.orders.confirm(orderId).then(
        () => 'confirmed',
        ({ outcome }) => outcome,
      );
      await clock.advance('5m');
      expect(await confirmed).toBe(isUnsent ? 'confirmed' : 'unknown');
      expect(mock.requests.filter(({ endpoint }) => endpoint === 'orderStatus')).toHaveLength(
        isUnsent ? 1 : 0,
      );
    },
  );

  it.each(ONLY_THERE)(
    '%s, is not retried elsewhere, where a mock may have thrown it',
    async (_what, _userAgent, error) => {
      const { clock, hub, orderId } = failing('Node.js/24', error);
      const failed = hub.orders.get(orderId).catch(({ retryable }) => retryable);
      await clock.advance('5m');
      expect(await failed).toBe(false);
    },
  );
});

it('on Deno, no connection is used again, because Deno would send a request again', async () => {
  const client = { name: 'without idle connections' };
  const createHttpClient = vi.fn(() => client);
  vi.stubGlobal('Deno', { createHttpClient });
  const clients: unknown[] = [];
  const mock = createMockHub();
  const fetch: typeof mock.fetch = async (url, init) => {
    clients.push((init as { client?: unknown }).client);
    return mock.fetch(url, init);
  };
  const { hub } = clientOf(mock, { fetch });
  await hub.events.poll();
  expect(clients).toEqual([client, client]);
  expect(createHttpClient.mock.calls).toEqual([[{ poolMaxIdlePerHost: 0 }]]);
});
