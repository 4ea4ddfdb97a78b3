import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { momentOf } from '../../../src/clock.js';
import { ShardRun } from '../../../src/fleet/bullmq/shard-run.js';

const LOCK_MS = 30_000;

function runOf(clock: ManualClock) {
  const run = new ShardRun(3, 'token', clock, LOCK_MS);
  run.renewed(momentOf(clock));
  let isOver = false;
  void run.over().then(() => {
    isOver = true;
  });
  return { run, isOver: () => isOver };
}

describe('the run of a shard', () => {
  it('goes on as long as its lock is renewed, and is lost when it is not', async () => {
    const clock = new ManualClock();
    const { run, isOver } = runOf(clock);
    for (let renewals = 0; renewals < 5; renewals += 1) {
      await clock.advance('15s');
      run.renewed(momentOf(clock));
    }
    expect([run.isHeld, run.mayPoll, isOver()]).toEqual([true, true, false]);
    await clock.advance(LOCK_MS - 1);
    expect([run.isHeld, run.mayPoll, isOver()]).toEqual([true, false, false]);
    await clock.advance(1);
    expect([run.isHeld, run.isLost, isOver()]).toEqual([false, true, true]);
  });

  it('is over at once when it is ended, and its lock is not lost', async () => {
    const clock = new ManualClock();
    const { run, isOver } = runOf(clock);
    await clock.advance('1s');
    run.end();
    await clock.advance(0);
    expect([run.isHeld, run.mayPoll, run.isLost, isOver()]).toEqual([false, false, false, true]);
  });

  it('is over at once when Redis refuses a renewal', async () => {
    const clock = new ManualClock();
    const { run, isOver } = runOf(clock);
    await clock.advance('1s');
    run.lose();
    await clock.advance(0);
    expect([run.isHeld, run.mayPoll, run.isLost, isOver()]).toEqual([false, false, true, true]);
  });
});
