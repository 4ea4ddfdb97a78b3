import {
  ClosedError,
  ConnectionError,
  HubError,
  ResponseTooLargeError,
  TimeoutError,
} from 'opendelivery-client';
import { createMockHub, type FaultLike, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import {
  clientAndMock,
  clientOf,
  dribbles,
  failure,
  passesOn,
  rawServer,
  sends,
  sendsInTurn,
  timesAt,
} from './support.js';

async function commanding(options: Parameters<typeof clientAndMock>[0] = {}) {
  const { clock, mock, hub } = clientAndMock(options);
  const { orderId } = mock.createOrder();
  await hub.auth.getToken();
  const commands = () => timesAt(mock, 'orderStatus').length;
  return { clock, mock, hub, orderId, commands };
}

describe('a command that failed', () => {
  it.each([300, 301, 303, 304, 307, 308, 402, 405, 408, 409, 410, 425, 499, 500, 502, 503, 504, 599])(
    'with %i has an unknown outcome and was sent once',
    async (status) => {
      const { clock, mock, hub, orderId, commands } = await commanding();
      mock.faults.next('orderStatus', status);
      const failed = failure(hub.orders.confirm(orderId), HubError);
      await clock.advance('5m');
      expect(await failed).toMatchObject({ status, outcome: 'unknown' });
      expect(commands()).toBe(1);
    },
  );

  it.each([400, 401, 403, 404, 422])('with %i was rejected: its outcome is known', async (status) => {
    const { mock, hub, orderId } = await commanding();
    mock.faults.next('orderStatus', status);
    const error = await failure(hub.orders.confirm(orderId), HubError);
    expect(error).toMatchObject({ status });
    expect(error.outcome).toBeUndefined();
  });

  it('with 429 in every attempt was rejected: its outcome is known', async () => {
    const { clock, mock, hub, orderId, commands } = await commanding();
    mock.faults.next('orderStatus', 429, 9);
    const failed = failure(hub.orders.confirm(orderId), HubError);
    await clock.advance('30m');
    const error = await failed;
    expect(error).toMatchObject({ status: 429 });
    expect(error.outcome).toBeUndefined();
    expect(commands()).toBe(4);
  });

  it.each<[string, FaultLike, abstract new (...given: never[]) => HubError]>([
    ['a time-out', 'hang', TimeoutError],
    ['a read that broke', 'truncate', ConnectionError],
  ])('with %s has an unknown outcome', async (_what, fault, kind) => {
    const { clock, mock, hub, orderId } = await commanding();
    mock.faults.next('orderStatus', fault);
    const failed = failure(hub.orders.confirm(orderId), kind);
    await clock.advance('5m');
    expect(await failed).toMatchObject({ outcome: 'unknown' });
  });

  it('with a response that is too large has an unknown outcome', async () => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const server = await rawServer(sendsInTurn(passesOn(mock), sends(202, 'x'.repeat(5000))));
    const { hub } = clientOf(server.url, { clock, maxResponseBytes: { other: 4096 } });
    expect(await failure(hub.orders.confirm('an-order'), ResponseTooLargeError)).toMatchObject({
      outcome: 'unknown',
    });
  });

  it('with a body that never ends has an unknown outcome', async () => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const server = await rawServer(sendsInTurn(passesOn(mock), dribbles(clock, 202)));
    const { hub } = clientOf(server.url, { clock });
    const failed = failure(hub.orders.confirm('an-order'), TimeoutError);
    await clock.advance('1m');
    expect(await failed).toMatchObject({ outcome: 'unknown' });
  });

  it('on another endpoint never has an outcome', async () => {
    const { clock, mock, hub, orderId } = await commanding({ retry: { attempts: 1 } });
    mock.faults.next('order', 500);
    expect((await failure(hub.orders.get(orderId), HubError)).outcome).toBeUndefined();
    await clock.advance(0);
  });
});

describe('a client that closes', () => {
  it('while a command waits after a 429 reports that the outcome is known', async () => {
    const { clock, mock, hub, orderId, commands } = await commanding();
    mock.faults.next('orderStatus', 429);
    const failed = failure(hub.orders.confirm(orderId), ClosedError);
    await clock.advance('1s');
    expect(commands()).toBe(1);
    await hub.close();
    expect((await failed).outcome).toBeUndefined();
  });

  it('while a command waits after a failed connect reports that the outcome is known', async () => {
    const cause = Object.assign(new Error('no'), { code: 'ECONNREFUSED', syscall: 'connect' });
    const started = await commanding({ retry: { minDelayMs: 60_000 } });
    const { hub } = clientOf(started.mock.baseUrl, {
      clock: started.clock,
      retry: { attempts: 4, minDelayMs: 60_000 },
      fetch: (url, init) => {
        if (url.endsWith('/confirm')) throw new TypeError('fetch failed', { cause });
        return started.mock.fetch(url, init);
      },
    });
    const failed = failure(hub.orders.confirm(started.orderId), ClosedError);
    await started.clock.advance(0);
    await hub.close();
    expect((await failed).outcome).toBeUndefined();
  });

  it('while a command waits for the token that follows its 401 reports that the outcome is known', async () => {
    const { clock, mock, hub, orderId } = await commanding();
    await clock.advance('6m');
    mock.revokeTokens();
    mock.faults.next('token', 'hang');
    const failed = failure(hub.orders.confirm(orderId), ClosedError);
    await clock.advance('1s');
    await hub.close();
    expect((await failed).outcome).toBeUndefined();
  });

  it('while a command is in progress, in any attempt, reports that the outcome is unknown', async () => {
    for (const before of [0, 1]) {
      const { clock, mock, hub, orderId, commands } = await commanding();
      if (before)
        mock.faults.next('orderStatus', { type: 'status', status: 429, headers: { 'retry-after': '1' } });
      mock.faults.next('orderStatus', 'hang');
      const failed = failure(hub.orders.confirm(orderId), ClosedError);
      await clock.advance('10s');
      expect(commands()).toBe(before + 1);
      await hub.close();
      expect(await failed).toMatchObject({ outcome: 'unknown' });
    }
  });
});
