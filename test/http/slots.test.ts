import { setImmediate as immediate } from 'node:timers/promises';
import { AuthenticationError, memoryState, ServerError } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { fails, forgetful, withCalls } from '../events/support.js';
import { caught } from '../fleet/support.js';
import { clientOf, densest, during, gate, requestsTo, stage, watched } from '../support.js';
import { clientOf as apiClientOf, clientAndMock, failure, timesAt } from './support.js';

describe('a quota slot', () => {
  it('is not taken, and used twice, while the client waits for a token', async () => {
    const { clock, mock, hub } = stage({ tokenLifetimeMs: 90_000 });
    await Promise.all([hub.events.poll(), hub.events.poll()]);
    const waiting = [hub.events.poll(), hub.events.poll()];
    mock.faults.next('token', { status: 429, headers: { 'retry-after': '120' } });
    await clock.advance('59s');
    const others = [hub.events.poll(), hub.events.poll()];
    await clock.advance('15m');
    await Promise.all([...waiting, ...others]);
    expect(densest(requestsTo(mock, 'polling'), 60_000)).toBe(2);
    expect(mock.violations()).toEqual([]);
  });

  it('is taken again by a state that has lost it; all others are free', async () => {
    const { state, forget } = forgetful();
    const options = { state, rateLimit: { mode: 'throw' } } as const;
    const { clock, mock, hub } = stage({}, options);
    const other = clientOf(mock, { clock, ...options }).hub;
    const { orderId } = mock.createOrder();
    const read = async (by: typeof hub) => (await caught(by.orders.get(orderId))) === 'resolved';
    for (let count = 0; count < 60; count += 1) expect(await read(hub)).toBe(true);
    await clock.advance('10s');
    forget();
    // Some by the client that knows of the others, which it tells the state with its first one.
    for (let count = 0; count < 20; count += 1) expect(await read(hub)).toBe(true);
    for (let count = 0; count < 20; count += 1) expect(await read(other)).toBe(true);
    expect([await read(other), await read(hub)]).toEqual([false, false]);
    await clock.advance('51s');
    for (let count = 0; count < 60; count += 1) expect(await read(other)).toBe(true);
    expect(densest(requestsTo(mock, 'order'), 60_000)).toBe(100);
    expect(mock.violations()).toEqual([]);
  });

  it('is taken again once, although many requests find out at the same time that the state has lost it', async () => {
    // Calls overtake each other, as over a pool of connections.
    let calls = 0;
    const { state, forget } = forgetful(async (call) => {
      calls += 1;
      for (let turn = (calls * 7) % 20; turn > 0; turn -= 1) await immediate();
      return call();
    });
    const { mock, hub } = stage({}, { state, rateLimit: { mode: 'throw' } });
    const { orderId } = mock.createOrder();
    const readAtOnce = async (count: number) => {
      const reads = Array.from({ length: count }, () => caught(hub.orders.get(orderId)));
      return (await Promise.all(reads)).filter((result) => result === 'resolved').length;
    };
    expect(await readAtOnce(30)).toBe(30);
    forget();
    expect(await readAtOnce(20)).toBe(20);
    expect(await readAtOnce(60)).toBe(50);
    expect(densest(requestsTo(mock, 'order'), 60_000)).toBe(100);
  });

  it('of a token is free after a loss, unless it was used', async () => {
    const { state, forget } = forgetful();
    const { mock, hub } = stage({}, { state, rateLimit: { mode: 'throw' } });
    const renewed = async () => (await caught(hub.auth.renew())) === 'resolved';
    for (let count = 0; count < 3; count += 1) expect(await renewed()).toBe(true);
    forget();
    for (let count = 3; count < 10; count += 1) expect(await renewed()).toBe(true);
    expect(await renewed()).toBe(false);
    expect(requestsTo(mock, 'token')).toHaveLength(10);
    expect(mock.violations()).toEqual([]);
  });

  it('is counted, and a 429 remembered, while the state fails', async () => {
    let down = false;
    const state = withCalls(memoryState(), {
      slot: (next) => (down ? fails('away') : next()),
      shut: () => fails('away'),
    });
    const { clock, mock, hub } = stage({}, { state });
    const ask = () => void hub.orders.get('x').catch(() => {});
    for (let count = 0; count < 60; count += 1) ask();
    await clock.advance('1s');
    down = true;
    for (let count = 0; count < 60; count += 1) ask();
    await clock.advance('3m');
    expect(densest(requestsTo(mock, 'order'), 60_000)).toBeLessThanOrEqual(100);
    mock.faults.next('order', { status: 429, headers: { 'retry-after': '60' } });
    ask();
    await clock.advance('5s');
    ask();
    await clock.advance('5m');
    expect(mock.violations()).toEqual([]);
  });

  it('that is granted after its call was aborted is returned: the next call has it at once', async () => {
    const clock = new ManualClock();
    const state = withCalls(memoryState(), { slot: (next) => clock.sleep(100).then(next) });
    const { mock, hub } = stage({ clock }, { clock, state });
    await during(clock, '1s', hub.auth.getToken());
    // A third one would have to wait for a minute and a half if these kept their slots.
    for (let count = 0; count < 2; count += 1) {
      const controller = new AbortController();
      const aborted = hub.events.poll({ signal: controller.signal });
      aborted.catch(() => {});
      await clock.advance(50);
      controller.abort(new Error('left'));
      await expect(aborted).rejects.toThrow('left');
      await clock.advance(100);
    }
    expect(requestsTo(mock, 'polling')).toHaveLength(0);
    expect(hub.rateLimits().polling.remaining).toBe(2);
    const polls = [hub.events.poll(), hub.events.poll()];
    await clock.advance('1s');
    expect(requestsTo(mock, 'polling')).toHaveLength(2);
    await Promise.all(polls);
  });

  it('is not used if the process was suspended before its grant arrived: others may have it by then', async () => {
    const state = memoryState();
    let reservations = 0;
    const { clock, mock, hub } = clientAndMock({
      state: withCalls(state, {
        slot: async (next, key) => {
          const reservation = next();
          if (String(key).endsWith(':polling') && (reservations += 1) === 1) await clock.sleep(15);
          return reservation;
        },
      }),
    });
    await hub.auth.getToken();
    const polled = hub.events.poll();
    await clock.suspend('170s');
    await polled;
    expect([reservations, timesAt(mock, 'polling').length]).toEqual([2, 1]);
    // The first slot was returned: another process has it.
    const other = apiClientOf(mock.baseUrl, {
      clock,
      state,
      fetch: mock.fetch,
      rateLimit: { mode: 'throw' },
    });
    await other.hub.events.poll();
    expect(timesAt(mock, 'polling')).toHaveLength(2);
  });

  it('is settled without the response waiting for it; `close` waits', async () => {
    const settling = gate();
    let settled = 0;
    const state = withCalls(memoryState(), {
      settle: (next, key) => {
        if (!/:(?:polling|acknowledgment)$/.test(String(key))) return next();
        settled += 1;
        return settling.promise;
      },
    });
    const { hub, mock } = clientAndMock({ state });
    await hub.auth.getToken();
    mock.createOrder();
    const { events } = await hub.events.poll();
    expect((await hub.events.acknowledge(events)).acknowledged).toHaveLength(1);
    expect(settled).toBe(2);
    const closed = hub.close();
    const seen = watched(closed);
    await new Promise(setImmediate);
    expect(seen.done).toBe(false);
    settling.open();
    await closed;
  }, 5000);

  it('is settled before virtual time goes on', async () => {
    const state = withCalls(memoryState(), {
      settle: async (next) => {
        for (let turn = 0; turn < 300; turn += 1) await new Promise(setImmediate);
        return next();
      },
    });
    const { clock, mock, hub } = clientAndMock({ state });
    const poller = hub.poller().on('event', () => {});
    await during(clock, '10m', poller.start());
    expect(timesAt(mock, 'polling')).toHaveLength(21);
    await during(clock, '1s', poller.stop());
  });

  it('is used although the state takes seconds to grant it', async () => {
    let reservations = 0;
    const { clock, hub } = clientAndMock({
      state: withCalls(memoryState(), {
        slot: async (next, key) => {
          const reservation = next();
          if (!String(key).endsWith(':polling')) return reservation;
          reservations += 1;
          await clock.sleep(4900);
          return reservation;
        },
      }),
    });
    await hub.auth.getToken();
    await during(clock, '5s', hub.events.poll());
    expect(reservations).toBe(1);
  });
});

describe('the credential of a call', () => {
  it('is not requested again by the call when its own request has failed', async () => {
    const { clock, mock, hub } = clientAndMock();
    mock.faults.next('token', 500, 100);
    const retried: string[] = [];
    hub.on('retry', ({ endpoint }) => retried.push(endpoint));
    const error = await during(clock, '5m', failure(hub.orders.get('an-order'), ServerError));
    expect(error).toMatchObject({ endpoint: 'token' });
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
