import type { State } from 'opendelivery-client';
import { createMockHub, ManualClock, type MockHub } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { afterAdvance, clientOf, requestsTo } from '../../support.js';
import { describeWithRedis } from './server.js';
import { redisForSuite, redisStateAt } from './support.js';

const HOUR_MS = 3_600_000;
const INTERVAL_MS = 30_000;

/** A slot that is not settled is taken for the longest exchange, the window of a minute and a margin. */
const SLOT_MS = 95_000;

/** The longest time without a poll until now. */
function longestGapMs(mock: MockHub, clock: ManualClock): number {
  const times = [...requestsTo(mock, 'polling').map(({ monotonicAt }) => monotonicAt), clock.monotonic()];
  return Math.max(...times.slice(1).map((time, index) => time - (times[index] as number)));
}

/** A clock of Redis that the test can set back, while the clocks of the clients stay right. */
function redisClock(clock: ManualClock) {
  let behindMs = 0;
  return {
    now: () => clock.now() - behindMs,
    monotonic: () => clock.monotonic(),
    sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
    setBack: (ms: number) => {
      behindMs += ms;
    },
  };
}

/** The same state until `kill`: from then on it is unreachable, as for a process that was killed. */
function mortal(state: State): { state: State; kill: () => void } {
  let isDead = false;
  const proxy = new Proxy(state, {
    get: (target, name: keyof State) =>
      isDead ? () => Promise.reject(new Error('unreachable')) : target[name].bind(target),
  });
  return {
    state: proxy,
    kill: () => {
      isDead = true;
    },
  };
}

describeWithRedis('a Redis whose clock is set back by an hour', (startRedis) => {
  const clients = redisForSuite(startRedis);

  function hubAndRedis() {
    const clock = new ManualClock();
    const timeOfRedis = redisClock(clock);
    const mock = createMockHub({ clock });
    const pollerAt = (state: State) => {
      const { hub } = clientOf(mock, { clock, state });
      const poller = hub.poller().on('CREATED', () => {});
      poller.on('error', () => {});
      return { hub, poller, state };
    };
    return { clock, timeOfRedis, mock, pollerAt, stateNow: () => redisStateAt(clients, timeOfRedis) };
  }

  it('does not stop the polls', async () => {
    const { clock, timeOfRedis, mock, pollerAt, stateNow } = hubAndRedis();
    const { poller } = pollerAt(stateNow());
    await afterAdvance(clock, '5m', poller.start());
    timeOfRedis.setBack(HOUR_MS);
    await clock.advance('10m');
    expect(longestGapMs(mock, clock)).toBeLessThanOrEqual(SLOT_MS + INTERVAL_MS);
    expect(mock.violations()).toEqual([]);
  });

  it('lets a poller on standby take over from one that was killed within minutes', async () => {
    const { clock, timeOfRedis, mock, pollerAt, stateNow } = hubAndRedis();
    const { state, kill } = mortal(stateNow());
    const first = pollerAt(state);
    await afterAdvance(clock, '1m', first.poller.start());
    const second = pollerAt(redisStateAt(clients, timeOfRedis, 'opendelivery:'));
    const takesOver = second.poller.start();
    await clock.advance('1m');
    expect(second.poller.health().status).toBe('standby');
    timeOfRedis.setBack(HOUR_MS);
    kill();
    const polls = requestsTo(mock, 'polling').length;
    // After two tries the lease has ended, then the slots.
    await clock.advance('3m');
    takesOver.catch(() => {});
    expect(second.poller.health().status).toBe('running');
    expect(requestsTo(mock, 'polling').length).toBeGreaterThan(polls);
    expect(mock.violations()).toEqual([]);
    await second.poller.stop();
    await first.poller.stop();
  });

  it('does not make a 429 of a minute one of an hour', async () => {
    const { clock, timeOfRedis, mock, pollerAt, stateNow } = hubAndRedis();
    const { state, kill } = mortal(stateNow());
    const { poller } = pollerAt(state);
    await afterAdvance(clock, '1m', poller.start());
    mock.faults.next('polling', { status: 429, headers: { 'retry-after': '60' } });
    await clock.advance('30s');
    timeOfRedis.setBack(HOUR_MS);
    kill();
    // Another process, which knows of the 429 only from Redis.
    const other = pollerAt(stateNow());
    const takesOver = other.poller.start();
    const polls = requestsTo(mock, 'polling').length;
    await clock.advance('5m');
    takesOver.catch(() => {});
    expect(requestsTo(mock, 'polling').length).toBeGreaterThan(polls);
    expect(mock.violations()).toEqual([]);
    await other.poller.stop();
  });
});
