import { BadRequestError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { RefusalBackoff } from '../../src/events/refusal-backoff.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const error = new BadRequestError('x', { endpoint: 'acknowledgment', status: 400, attempts: 1, body: '' });

function backoff() {
  const time = { now: 0 };
  return { time, refusals: new RefusalBackoff(() => time.now) };
}

/** How long an id is not retried, in minutes. */
function waitOf(refusals: RefusalBackoff, time: { now: number }, eventId: string): number {
  const from = time.now;
  while (!refusals.find(eventId)?.isDue) time.now += MINUTE_MS;
  return (time.now - from) / MINUTE_MS;
}

describe('the backoff of refused acknowledgments', () => {
  it('knows nothing of an id that was not refused, or was accepted since', () => {
    const { refusals } = backoff();
    expect(refusals.find('a')).toBeUndefined();
    refusals.refused('a', error);
    expect(refusals.find('a')).toEqual({ error, isDue: false });
    refusals.accepted('a');
    expect(refusals.find('a')).toBeUndefined();
  });

  it('retries an id after ten minutes, doubled at each refusal, up to six hours', () => {
    const { time, refusals } = backoff();
    const waits = Array.from({ length: 8 }, () => {
      refusals.refused('a', error);
      // Another id that is accepted: the hub does not refuse everything.
      refusals.accepted('b');
      return waitOf(refusals, time, 'a');
    });
    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 360, 360]);
  });

  it('pauses for the whole hub when it refuses everything: two minutes, doubled, up to six hours', () => {
    const { time, refusals } = backoff();
    const waits = Array.from({ length: 10 }, () => {
      refusals.refusedAll();
      const from = time.now;
      while (refusals.isHubBackingOff) time.now += MINUTE_MS;
      return (time.now - from) / MINUTE_MS;
    });
    expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);
    refusals.refusedAll();
    refusals.accepted('a');
    expect(refusals.isHubBackingOff).toBe(false);
    refusals.refusedAll();
    time.now += 2 * MINUTE_MS;
    expect(refusals.isHubBackingOff).toBe(false);
  });

  it('takes five refusals in a row for a hub that refuses everything', () => {
    const { refusals } = backoff();
    for (const id of ['a', 'b', 'c', 'd']) refusals.refused(id, error);
    expect(refusals.isHubBackingOff).toBe(false);
    refusals.refused('e', error);
    expect(refusals.isHubBackingOff).toBe(true);
  });

  it('retries no id while the hub refuses everything', () => {
    const { time, refusals } = backoff();
    refusals.refused('a', error);
    time.now = HOUR_MS;
    expect(refusals.find('a')?.isDue).toBe(true);
    refusals.refusedAll();
    expect(refusals.find('a')?.isDue).toBe(false);
  });

  it('knows the ids that were refused last, at least 10,000, and forgets the others', () => {
    const { refusals } = backoff();
    for (let index = 0; index < 25_000; index += 1) refusals.refused(String(index), error);
    expect(refusals.find('0')).toBeUndefined();
    expect(refusals.find('15000')).toBeDefined();
    expect(refusals.find('24999')).toBeDefined();
  });
});
