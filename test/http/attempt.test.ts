import { AuthenticationError, ENDPOINTS, memoryState, ServerError } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, vi } from 'vitest';
import { Targets } from '../../src/http/endpoint-url.js';
import { Governor } from '../../src/http/governor.js';
import { HttpClient, type HttpClientOptions } from '../../src/http/http-client.js';
import { patienceOf } from '../../src/http/slot-queue.js';
import { Redactor } from '../../src/secrets/redactor.js';
import { gate } from '../support.js';
import { clientAndMock, failure, timesAt } from './support.js';

describe('the credential of a call', () => {
  it('is not requested again by the call when its own request has failed', async () => {
    const { clock, mock, hub } = clientAndMock();
    mock.faults.next('token', 500, 100);
    const retried: string[] = [];
    hub.on('retry', ({ endpoint }) => retried.push(endpoint));
    const failed = failure(hub.orders.get('an-order'), ServerError);
    await clock.advance('5m');
    expect(await failed).toMatchObject({ endpoint: 'token' });
    expect(retried).toEqual(['token', 'token', 'token']);
    expect(timesAt(mock, 'token')).toHaveLength(4);
  });

  it('is replaced once per attempt, even if each request brings another one', async () => {
    let rotations = 0;
    const { mock, hub } = clientAndMock({ apiKey: () => `rotated-key-${++rotations}` });
    await failure(hub.merchant.get(), AuthenticationError);
    expect(timesAt(mock, 'merchant')).toHaveLength(2);
  });

  it('that cannot be renewed after a long wait for the slot gives the slot back', async () => {
    const { clock, mock, hub } = clientAndMock({ retry: { attempts: 1 } });
    await hub.events.poll();
    await clock.advance('10s');
    await hub.events.poll();
    mock.faults.next('token', 500);
    const waiting = failure(hub.events.poll(), ServerError);
    await clock.advance('30s');
    await hub.auth.invalidate((await hub.auth.getToken()).value);
    await clock.advance('20s');
    expect(await waiting).toMatchObject({ endpoint: 'token' });
    expect(hub.rateLimits().polling.remaining).toBe(1);
  });
});

describe('a slot', () => {
  it('is not used if the process was suspended before its grant arrived: others may have it by then', async () => {
    const state = memoryState();
    const { clock, mock, hub } = clientAndMock({ state });
    await hub.auth.getToken();
    const settle = vi.spyOn(state, 'settle');
    const reserveNow = state.reserve.bind(state);
    const reserve = vi.spyOn(state, 'reserve').mockImplementationOnce(async (...given) => {
      const reservation = await reserveNow(...given);
      await clock.sleep(15);
      return reservation;
    });
    const polled = hub.events.poll();
    await clock.suspend('170s');
    await polled;
    expect(reserve).toHaveBeenCalledTimes(2);
    const [first] = await Promise.all(reserve.mock.results.map(({ value }) => value));
    expect(settle.mock.calls[0]?.slice(1, 3)).toEqual([first.id, 0]);
    expect(timesAt(mock, 'polling')).toHaveLength(1);
  });

  it('is settled without the response waiting for it; `close` waits', async () => {
    const state = memoryState();
    const { hub, mock } = clientAndMock({ state });
    await hub.auth.getToken();
    const settling = gate();
    const settle = vi.spyOn(state, 'settle').mockReturnValue(settling.promise);
    mock.createOrder();
    const { events } = await hub.events.poll();
    expect((await hub.events.acknowledge(events)).acknowledged).toHaveLength(1);
    expect(settle).toHaveBeenCalledTimes(2);
    let isClosed = false;
    const closed = hub.close().then(() => {
      isClosed = true;
    });
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    settling.open();
    await closed;
  }, 5000);

  it('is settled before virtual time goes on', async () => {
    const state = memoryState();
    const settle = state.settle.bind(state);
    vi.spyOn(state, 'settle').mockImplementation(async (...given) => {
      for (let turn = 0; turn < 300; turn += 1) await new Promise(setImmediate);
      await settle(...given);
    });
    const { clock, mock, hub } = clientAndMock({ state });
    const poller = hub.poller().on('event', () => {});
    const started = poller.start();
    await clock.advance('10m');
    await started;
    expect(timesAt(mock, 'polling')).toHaveLength(21);
    const stopped = poller.stop();
    await clock.advance('1s');
    await stopped;
  });

  it('is used although the state takes seconds to grant it', async () => {
    const state = memoryState();
    const { clock, hub } = clientAndMock({ state });
    await hub.auth.getToken();
    const reserveNow = state.reserve.bind(state);
    const reserve = vi.spyOn(state, 'reserve').mockImplementation(async (...given) => {
      const reservation = await reserveNow(...given);
      await clock.sleep(4900);
      return reservation;
    });
    const polled = hub.events.poll();
    await clock.advance('5s');
    await polled;
    expect(reserve).toHaveBeenCalledTimes(1);
  });
});

describe('undici', () => {
  it('is loaded before the deadline starts, with virtual time held', async () => {
    const clock = new ManualClock();
    const log: string[] = [];
    const hold = clock.hold.bind(clock);
    clock.hold = () => {
      const release = hold();
      log.push('hold');
      return () => {
        log.push('release');
        release();
      };
    };
    let isLoaded = false;
    const http = new HttpClient({
      clock,
      transport: {
        isReady: () => isLoaded,
        prepare: async () => {
          log.push('prepare');
          await new Promise(setImmediate);
          isLoaded = true;
          log.push('prepared');
        },
        exchange: async () => {
          log.push('exchange');
          return { status: 204, header: () => undefined, body: new Uint8Array(), cut: false };
        },
        close: async () => {},
        enter: () => undefined,
        leave: () => {},
      } as unknown as HttpClientOptions['transport'],
      governor: new Governor({ clock, state: memoryState(), timeoutMs: 1000 }),
      redactor: new Redactor(),
      endpoints: ENDPOINTS,
      targets: new Targets({
        baseUrl: 'https://hub.example',
        basePath: '',
        tokenUrl: undefined,
        endpoints: ENDPOINTS,
      }),
      headers: {},
      userAgent: 'test',
      maxResponseBytes: { merchant: 1000, other: 1000 },
      timeoutMs: 1000,
      retry: { attempts: 1, minDelayMs: 1, maxDelayMs: 1, deadlineMs: 1000 },
      patience: patienceOf(0),
      scope: async () => 'scope',
      authorize: async () => undefined,
      traffic: { has: () => false, emit: () => {} },
    });
    const call = { endpoint: 'merchant', read: ({ status }: { status: number }) => status } as const;
    expect(await http.send(call)).toBe(204);
    const loading = ['hold', 'prepare', 'prepared', 'release'];
    expect(log).toEqual([...loading, 'hold', 'exchange', 'release']);
    log.length = 0;
    await http.send(call);
    expect(log).toEqual(['hold', 'exchange', 'release']);
  });
});
