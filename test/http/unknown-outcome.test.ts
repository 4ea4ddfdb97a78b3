import {
  ClosedError,
  ConnectionError,
  HubError,
  memoryState,
  ResponseTooLargeError,
  TimeoutError,
} from 'opendelivery-client';
import { createMockHub, type FaultLike, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, vi } from 'vitest';
import { during } from '../support.js';
import {
  clientAndMock,
  clientOf,
  dribbles,
  failure,
  passesOn,
  type Responder,
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
  it.each([300, 301, 303, 304, 307, 308, 408, 499, 500, 502, 503, 504, 599])(
    'with %i has an unknown outcome and was sent once',
    async (status) => {
      const { clock, mock, hub, orderId, commands } = await commanding();
      mock.faults.next('orderStatus', status);
      const failed = failure(hub.orders.confirm(orderId), HubError);
      await clock.advance('5m');
      expect(await failed).toMatchObject({ status, outcome: 'unknown', retryable: false });
      expect(commands()).toBe(1);
    },
  );

  it('before it was sent, because an observer has aborted it, has no unknown outcome', async () => {
    const { hub, orderId, commands } = await commanding();
    const controller = new AbortController();
    hub.on('request', () => controller.abort(new Error('the window was closed')));
    const confirmed = hub.orders.confirm(orderId, {}, { signal: controller.signal });
    await expect(confirmed).rejects.toThrow('the window was closed');
    expect(commands()).toBe(0);
  });

  it.each([400, 401, 402, 403, 404, 405, 409, 410, 418, 422, 425, 429])(
    'with %i was rejected: its outcome is known, and only after 429 it was sent again',
    async (status) => {
      const { clock, mock, hub, orderId, commands } = await commanding();
      mock.faults.next('orderStatus', status, 9);
      const error = await during(clock, '30m', failure(hub.orders.confirm(orderId), HubError));
      expect(error).toMatchObject({ status });
      expect(error.outcome).toBeUndefined();
      expect(commands()).toBe(status === 429 ? 4 : 1);
    },
  );

  it.each<[string, FaultLike, abstract new (...given: never[]) => HubError]>([
    ['a time-out', 'hang', TimeoutError],
    ['a response that was lost', 'lost', ConnectionError],
    ['a reset', 'reset', ConnectionError],
    ['a read that broke', 'truncate', ConnectionError],
  ])('with %s has an unknown outcome and was sent once', async (_what, fault, kind) => {
    const { clock, mock, hub, orderId, commands } = await commanding();
    mock.faults.next('orderStatus', fault);
    const error = await during(clock, '5m', failure(hub.orders.confirm(orderId), kind));
    expect(error).toMatchObject({ outcome: 'unknown', retryable: false });
    if (kind === ConnectionError) expect(error.message).toMatch(/; read the order before you send it again$/);
    expect(commands()).toBe(1);
  });

  it.each<[string, (clock: ManualClock) => Responder, abstract new (...given: never[]) => HubError]>([
    ['response that is too large', () => sends(202, 'x'.repeat(5000)), ResponseTooLargeError],
    ['body that never ends', (clock) => dribbles(clock, 202), TimeoutError],
  ])('with a %s has an unknown outcome', async (_what, responder, kind) => {
    const clock = new ManualClock();
    const server = await rawServer(sendsInTurn(passesOn(createMockHub({ clock })), responder(clock)));
    const { hub } = clientOf(server.url, { clock, maxResponseBytes: { other: 4096 } });
    const error = await during(clock, '1m', failure(hub.orders.confirm('an-order'), kind));
    expect(error).toMatchObject({ outcome: 'unknown' });
  });

  it('on another endpoint never has an outcome', async () => {
    const { mock, hub, orderId } = await commanding({ retry: { attempts: 1 } });
    mock.faults.next('order', 500);
    expect((await failure(hub.orders.get(orderId), HubError)).outcome).toBeUndefined();
  });
});

describe('a command that is aborted', () => {
  it('after it was sent has an unknown outcome, with the reason as its cause', async () => {
    for (const reason of [new Error('the user went away'), 'a string', new TimeoutError('listener', 1)]) {
      const { clock, mock, hub, orderId, commands } = await commanding();
      // The hub carries it out, and the response does not come.
      mock.faults.next('orderStatus', 'hang');
      const controller = new AbortController();
      const failed = failure(hub.orders.confirm(orderId, {}, { signal: controller.signal }), ConnectionError);
      await clock.advance('1s');
      expect(commands()).toBe(1);
      controller.abort(reason);
      expect(await failed).toMatchObject({ outcome: 'unknown', retryable: false, cause: reason });
    }
  });

  it('before it was sent, or after the hub has refused it, rejects with the reason', async () => {
    const { clock, mock, hub, orderId, commands } = await commanding();
    const reason = new Error('the user went away');
    await expect(hub.orders.confirm(orderId, {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(commands()).toBe(0);
    mock.faults.next('orderStatus', 429);
    const controller = new AbortController();
    const waiting = hub.orders.confirm(orderId, {}, { signal: controller.signal });
    const rejected = expect(waiting).rejects.toBe(reason);
    await clock.advance('1s');
    expect(commands()).toBe(1);
    controller.abort(reason);
    await rejected;
  });

  it('while its slot is granted is not sent, rejects with the reason, and gives the slot back', async () => {
    const state = memoryState();
    const { hub, orderId, commands } = await commanding({ state });
    const controller = new AbortController();
    const reason = new Error('the user went away');
    const reserve = state.reserve.bind(state);
    vi.spyOn(state, 'reserve').mockImplementation((...given) => {
      controller.abort(reason);
      return reserve(...given);
    });
    const { remaining } = hub.rateLimits().orderStatus;
    await expect(hub.orders.confirm(orderId, {}, { signal: controller.signal })).rejects.toBe(reason);
    expect(commands()).toBe(0);
    expect(hub.rateLimits().orderStatus.remaining).toBe(remaining);
  });

  it('is not a command: a read rejects with the reason', async () => {
    const { clock, mock, hub, orderId } = await commanding();
    mock.faults.next('order', 'hang');
    const controller = new AbortController();
    const reason = new Error('the user went away');
    const rejected = expect(hub.orders.get(orderId, { signal: controller.signal })).rejects.toBe(reason);
    await clock.advance('1s');
    controller.abort(reason);
    await rejected;
  });
});

describe("a listener's command that is on its way", () => {
  /** A poller whose listener confirms with `context.signal`; the hub does not answer the command. */
  async function confirming(options: { listenerTimeoutMs?: number } = {}) {
    const { clock, mock, hub } = clientAndMock();
    const poller = hub.poller(options);
    const failures: unknown[] = [];
    const errors: unknown[] = [];
    poller.on('error', (error) => void errors.push(error));
    poller.on('CREATED', async (event, context) => {
      mock.faults.next('orderStatus', 'hang');
      await hub.orders.confirm(event.orderId, {}, { signal: context.signal }).catch((error: unknown) => {
        failures.push(error);
        throw error;
      });
    });
    mock.createOrder();
    await poller.start();
    await clock.advance('1s');
    return { clock, poller, failures, errors };
  }
  const UNKNOWN = { outcome: 'unknown', retryable: false };

  it('has an unknown outcome when the listener takes too long, which is reported once', async () => {
    const { clock, failures, errors } = await confirming({ listenerTimeoutMs: 5000 });
    await clock.advance('5s');
    expect(failures).toMatchObject([UNKNOWN]);
    expect(errors).toMatchObject([{ code: 'timeout', operation: 'listener' }]);
  });

  it('has an unknown outcome when a stop does not wait for it', async () => {
    const { clock, poller, failures } = await confirming();
    expect(await during(clock, '2s', poller.stop({ timeoutMs: 2000 }))).toMatchObject({ timedOut: true });
    await clock.advance(0);
    expect(failures).toMatchObject([UNKNOWN]);
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
      mock.faults.next('orderStatus', { type: 'latency', ms: 20_000 });
      const failed = failure(hub.orders.confirm(orderId), ClosedError);
      await clock.advance('10s');
      expect(commands()).toBe(before + 1);
      await hub.close();
      expect(await failed).toMatchObject({ outcome: 'unknown' });
      // The hub has carried it out.
      expect(mock.emitted().map(({ eventType }) => eventType)).toContain('CONFIRMED');
    }
  });
});
