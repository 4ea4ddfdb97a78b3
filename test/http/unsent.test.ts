import { createServer, type Socket, connect as tcpConnect } from 'node:net';
import { ConnectionError, type HubClientOptions } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { Agent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { during } from '../support.js';
import { clientOf, failure, passesOn, rawServer } from './support.js';

type Fields = Readonly<Record<string, unknown>>;

const system = (syscall: string | undefined, code: string, more: Fields = {}) =>
  Object.assign(new Error(`${syscall ?? ''} ${code}`), { code, ...(syscall && { syscall }), ...more });

const aggregate = (...errors: Error[]) => Object.assign(new AggregateError(errors), { code: 'ECONNREFUSED' });

/** Network failures, and whether they prove that the hub did not receive the request. */
const FAILURES: ReadonlyArray<[what: string, error: Error, isUnsent: boolean]> = [
  ['a refused connect', system('connect', 'ECONNREFUSED'), true],
  ['a connect without a route', system('connect', 'EHOSTUNREACH'), true],
  ['a connect without a network', system('connect', 'ENETUNREACH'), true],
  ['a connect that timed out in the kernel', system('connect', 'ETIMEDOUT'), true],
  ['a connect that timed out in undici', system(undefined, 'UND_ERR_CONNECT_TIMEOUT'), true],
  ['an unknown host name', system('getaddrinfo', 'ENOTFOUND'), true],
  ['a name server that does not answer', system('getaddrinfo', 'EAI_AGAIN'), true],
  ['a certificate for another name', system(undefined, 'ERR_TLS_CERT_ALTNAME_INVALID'), true],
  ['an expired certificate', system(undefined, 'CERT_HAS_EXPIRED'), true],
  ['a failed bind', system('bind', 'EADDRNOTAVAIL'), true],
  ['a DNS query of c-ares', system('queryAaaa', 'ETIMEOUT'), true],
  ['a self-signed certificate', system(undefined, 'DEPTH_ZERO_SELF_SIGNED_CERT'), true],
  ['a certificate that cannot be verified', system(undefined, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'), true],
  ['a port without TLS', system(undefined, 'ERR_SSL_WRONG_VERSION_NUMBER'), true],
  ['an alert after the handshake', system(undefined, 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR'), false],
  ['a numeric code', Object.assign(new Error('x'), { code: 111 }), false],
  ['a refused connect, wrapped', new Error('proxy', { cause: system('connect', 'ECONNREFUSED') }), true],
  [
    'two addresses, both refused',
    aggregate(system('connect', 'ECONNREFUSED'), system('connect', 'ENETUNREACH')),
    true,
  ],
  ['a read without a route', system('read', 'EHOSTUNREACH'), false],
  ['a read without a network', system('read', 'ENETUNREACH'), false],
  ['a refused read', system('read', 'ECONNREFUSED'), false],
  ['a write without a route', system('write', 'EHOSTUNREACH'), false],
  ['no route, at an unknown moment', system(undefined, 'EHOSTUNREACH'), false],
  ['a reset', system('read', 'ECONNRESET'), false],
  ['a broken pipe', system('write', 'EPIPE'), false],
  ['a socket that the other side closed', system(undefined, 'UND_ERR_SOCKET'), false],
  [
    'a broken socket with a failed connect behind it',
    system(undefined, 'UND_ERR_SOCKET', { cause: system('connect', 'ECONNREFUSED') }),
    false,
  ],
  ['a read without a route, wrapped', new Error('x', { cause: system('read', 'EHOSTUNREACH') }), false],
  [
    'two addresses, one refused and one broken later',
    aggregate(system('connect', 'ECONNREFUSED'), system('read', 'ECONNRESET')),
    false,
  ],
  ['an AggregateError without errors', aggregate(), false],
];

/** A client whose first command fails; the second one reaches the mock hub. */
async function commanding(options: (mock: ReturnType<typeof createMockHub>) => Partial<HubClientOptions>) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const { orderId } = mock.createOrder();
  const { hub } = clientOf(mock.baseUrl, { clock, ...options(mock), retry: { attempts: 4 } });
  await hub.auth.getToken();
  const commands = () => mock.requests.filter(({ endpoint }) => endpoint === 'orderStatus').length;
  return { clock, mock, orderId, hub, commands };
}

describe('a command is sent again only when its failure came from connecting', () => {
  it.each(FAILURES)('%s', async (_what, cause, isUnsent) => {
    let attempts = 0;
    const { clock, hub, orderId, commands } = await commanding((mock) => ({
      fetch: (url, init) => {
        if (!url.endsWith('/confirm') || attempts++ > 0) return mock.fetch(url, init);
        throw new TypeError('fetch failed', { cause });
      },
    }));
    const confirmed = hub.orders.confirm(orderId).then(
      () => 'resolved',
      (error: ConnectionError) => error,
    );
    await clock.advance('5m');
    if (isUnsent) {
      expect(await confirmed).toBe('resolved');
      expect([attempts, commands()]).toEqual([2, 1]);
      return;
    }
    expect(await confirmed).toMatchObject({
      code: 'connection',
      outcome: 'unknown',
      mayHaveReachedHub: true,
    });
    expect([attempts, commands()]).toEqual([1, 0]);
  });

  it('not when the route is lost while an open connection is read', async () => {
    const sockets: Socket[] = [];
    const agent = new Agent({
      connections: 1,
      connect: (options, callback) => {
        const socket = tcpConnect(Number(options.port), options.hostname);
        sockets.push(socket);
        socket.once('connect', () => callback(null, socket));
        socket.once('error', (error) => callback(error, null));
      },
    });
    onTestFinished(() => agent.destroy());
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const { orderId } = mock.createOrder();
    const forward = passesOn(mock);
    const server = await rawServer(forward);
    const { hub } = clientOf(server.url, { clock, dispatcher: agent, retry: { attempts: 4 } });
    await hub.auth.getToken();
    // The kernel reports this when the ACK of the request is lost and the route is removed.
    server.respond = async (response, seen) => {
      await forward({ writeHead() {}, end() {} } as never, seen);
      sockets[0]?.destroy(system('read', 'EHOSTUNREACH', { errno: -113 }) as Error);
      response.destroy();
    };
    expect(await during(clock, '5m', failure(hub.orders.confirm(orderId), ConnectionError))).toMatchObject({
      message: expect.stringContaining('EHOSTUNREACH'),
      outcome: 'unknown',
    });
    expect([server.requests.length, sockets.length]).toEqual([2, 1]);
    expect(mock.emitted().map(({ eventType }) => eventType)).toEqual(['CREATED', 'CONFIRMED']);
  });

  it('also when the server resets the connection during the TLS handshake', async () => {
    const clock = new ManualClock();
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => {});
      socket.once('data', () => socket.resetAndDestroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const mock = createMockHub({ clock });
    const tokenServer = await rawServer(passesOn(mock));
    const { hub } = clientOf(`https://127.0.0.1:${port}`, {
      clock,
      tokenUrl: `${tokenServer.url}/opendelivery/oauth/token`,
      retry: { attempts: 3 },
    });
    const error = await during(clock, '5m', failure(hub.orders.confirm('an-order'), ConnectionError));
    expect(error).toMatchObject({ mayHaveReachedHub: false });
    expect(error.outcome).toBeUndefined();
    expect(connections).toBe(3);
  });
});
