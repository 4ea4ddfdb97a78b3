import { memoryState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { densest, requestsTo, stage } from '../support.js';

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

  it('is counted, and a 429 remembered, while the state fails', async () => {
    const state = memoryState();
    const honest = { reserve: state.reserve.bind(state), shut: state.shut.bind(state) };
    let down = false;
    state.reserve = (...parameters) => {
      if (down) throw new Error('away');
      return honest.reserve(...parameters);
    };
    state.shut = () => {
      throw new Error('away');
    };
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
    const state = memoryState();
    const reserve = state.reserve.bind(state);
    state.reserve = async (...parameters) => {
      await clock.sleep(100);
      return reserve(...parameters);
    };
    const { mock, hub } = stage({ clock }, { clock, state });
    const token = hub.auth.getToken();
    await clock.advance('1s');
    await token;
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
});
