import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { momentOf } from '../../../src/clock.js';
import { Deadline } from '../../../src/fleet/bullmq/deadline.js';

const LOCK_MS = 30_000;

describe('the deadline of a shard', () => {
  it('allows no poll before a renewal was confirmed', () => {
    const deadline = new Deadline(new ManualClock(), LOCK_MS);
    expect([deadline.leftMs, deadline.mayPoll]).toEqual([0, false]);
  });

  it('counts from when the renewal was sent, and not from when it was confirmed', async () => {
    const clock = new ManualClock();
    const deadline = new Deadline(clock, LOCK_MS);
    const sentAt = momentOf(clock);
    await clock.advance('12s');
    deadline.renewed(sentAt);
    expect([deadline.leftMs, deadline.mayPoll]).toEqual([18_000, true]);
  });

  it('allows no poll in the last quarter of the lock', async () => {
    const clock = new ManualClock();
    const deadline = new Deadline(clock, LOCK_MS);
    deadline.renewed(momentOf(clock));
    await clock.advance(22_499);
    expect(deadline.mayPoll).toBe(true);
    await clock.advance(1);
    expect([deadline.leftMs, deadline.mayPoll]).toEqual([7500, false]);
    deadline.renewed(momentOf(clock));
    expect([deadline.leftMs, deadline.mayPoll]).toEqual([LOCK_MS, true]);
  });

  it('ignores the confirmation of an earlier renewal', async () => {
    const clock = new ManualClock();
    const deadline = new Deadline(clock, LOCK_MS);
    const earlier = momentOf(clock);
    await clock.advance('5s');
    deadline.renewed(momentOf(clock));
    deadline.renewed(earlier);
    expect(deadline.leftMs).toBe(LOCK_MS);
  });

  it('ends when either clock says so', () => {
    const times = { monotonic: 0, wall: 0 };
    const clock = { now: () => times.wall, monotonic: () => times.monotonic, sleep: async () => {} };
    const deadline = new Deadline(clock, LOCK_MS);
    deadline.renewed(momentOf(clock));
    // The machine was suspended, and its monotonic clock paused.
    times.wall = LOCK_MS;
    expect(deadline.leftMs).toBe(0);
    // The wall clock was set back.
    Object.assign(times, { wall: -3_600_000, monotonic: LOCK_MS });
    expect(deadline.leftMs).toBe(0);
  });
});
