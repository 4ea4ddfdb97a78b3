import type { Job } from 'bullmq';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { ShardProcessor } from '../../../src/fleet/bullmq/shard-processor.js';

const LOCK_MS = 30_000;

/** What BullMQ gives: its lock is lost if it is not renewed. */
const job = (moved: string[]): Job =>
  ({
    id: 's1',
    data: {},
    attemptsStarted: 1,
    extendLock: async () => 1,
    updateData: async () => {},
    moveToWait: async () => void moved.push('waits'),
    moveToDelayed: async () => void moved.push('comes again'),
  }) as unknown as Job;

// Of the inner part: with Redis, a lock that is lost while a listener hangs takes minutes.
it('takes a lost shard again, although a listener of one of its stores hangs', async () => {
  const clock = new ManualClock();
  const moved: string[] = [];
  const assigned: number[] = [];
  const processor = new ShardProcessor({
    clock,
    lockMs: LOCK_MS,
    polling: {
      assign: (shard: number) => void assigned.push(shard),
      // Waits for the listener.
      unassign: () => new Promise(() => {}),
    },
  } as unknown as ConstructorParameters<typeof ShardProcessor>[0]);
  const first = processor.process(job(moved), 'token 1').catch(() => {});
  await clock.advance(LOCK_MS + 1000);
  void processor.process(job(moved), 'token 2').catch(() => {});
  await clock.advance('1s');
  expect(assigned).toEqual([1, 1]);
  await first;
});
