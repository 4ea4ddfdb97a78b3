import { describe, expect, it } from 'vitest';
import { densest, during, requestsTo, stage } from '../support.js';

const HOUR_MS = 3_600_000;
const FIVE_MINUTES_MS = 300_000;

describe('a 429 of the token endpoint that does not say how long to wait', () => {
  it.each([
    ['without Retry-After', {}],
    ['with one that cannot be read', { 'retry-after': 'tomorrow' }],
  ])('(%s) holds orders up for five minutes, not for the hour of the window', async (_what, headers) => {
    const { clock, mock, hub } = stage();
    mock.faults.next('token', { status: 429, headers });
    const poller = hub.poller();
    const handled: string[] = [];
    poller.on('CREATED', ({ eventId }) => void handled.push(eventId));
    poller.on('error', () => {});
    const { event } = mock.createOrder();
    const started = poller.start();
    started.catch(() => {});
    await clock.advance(FIVE_MINUTES_MS - 1);
    expect(requestsTo(mock, 'token')).toHaveLength(1);
    await clock.advance('10s');
    expect(handled).toEqual([event.eventId]);
    await poller.stop();
  });

  it('again and again costs the ten token requests of an hour, and never more', async () => {
    const { clock, mock, hub } = stage();
    mock.faults.next('token', 429, 1000);
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    poller.on('error', () => {});
    const started = poller.start().catch(() => {});
    for (let minute = 0; minute < 300; minute += 1) {
      await clock.advance('1m');
      // Callers who ask all the time do not change that.
      hub.auth.getToken().catch(() => {});
    }
    expect(densest(requestsTo(mock, 'token'), HOUR_MS)).toBe(10);
    await poller.stop();
    await started;
  });

  it('does not shorten a wait that the hub asks for', async () => {
    const { clock, mock, hub } = stage();
    mock.faults.next('token', { status: 429, headers: { 'retry-after': '3600' } });
    hub.auth.getToken().catch(() => {});
    await clock.advance('59m');
    hub.auth.getToken().catch(() => {});
    await clock.advance('59s');
    expect(requestsTo(mock, 'token')).toHaveLength(1);
    await clock.advance('2s');
    expect((await during(clock, '1s', hub.auth.getToken())).value).toMatch(/^mock\./);
  });
});
