import { describe, expect, it } from 'vitest';
import { Lane, type Slot } from '../../src/http/lane.js';

const WALL = 1_000_000;
const slot = (id: string, freeAt: number, key = 'k'): Slot => ({
  endpoint: 'polling',
  key,
  id,
  reservedAt: { monotonic: 0, wall: 0 },
  freeAt,
});

/** A lane of the polling endpoint (2 requests in 60 s) with these slots. */
function laneWith(...slots: Slot[]) {
  const lane = new Lane(2);
  for (const each of slots) lane.add(each, 0);
  return lane;
}

describe('knownWait', () => {
  it('leaves the decision to the state while fewer slots than the limit are taken', () => {
    expect(laneWith(slot('a', 100)).knownWait('k', 2, 0)).toBeUndefined();
  });

  it('waits for the first slot to become free when the limit is reached', () => {
    const lane = laneWith(slot('a', 100), slot('b', 70));
    expect(lane.knownWait('k', 2, 20)).toEqual({ granted: false, waitMs: 50, reason: 'quota' });
    expect(lane.knownWait('k', 2, 70)).toBeUndefined();
  });

  it('counts only the slots of its key', () => {
    expect(laneWith(slot('a', 100), slot('b', 100, 'other')).knownWait('k', 2, 0)).toBeUndefined();
  });

  it('does not count a slot that was removed', () => {
    const removed = slot('a', 100);
    const lane = laneWith(removed, slot('b', 100));
    lane.remove(removed);
    expect(lane.knownWait('k', 2, 0)).toBeUndefined();
  });

  it('waits while a 429 blocks the endpoint; a shorter block does not end a longer one', () => {
    const lane = laneWith();
    lane.block(500);
    lane.block(300);
    expect(lane.knownWait('k', 2, 100)).toEqual({ granted: false, waitMs: 400, reason: 'shut' });
    expect(lane.knownWait('k', 2, 500)).toBeUndefined();
  });

  it('waits for the reset if the hub says that nothing remains', () => {
    const lane = laneWith();
    lane.responded({ remaining: 0, resetMs: 400 }, 100);
    expect(lane.knownWait('k', 2, 100)).toEqual({ granted: false, waitMs: 400, reason: 'quota' });
    expect(lane.knownWait('k', 2, 500)).toBeUndefined();
    lane.responded({ remaining: 1, resetMs: 400 }, 100);
    expect(lane.knownWait('k', 2, 100)).toBeUndefined();
  });

  it('keeps the last headers if a response has none', () => {
    const lane = laneWith();
    lane.responded({ remaining: 0, resetMs: 400 }, 0);
    lane.responded({}, 100);
    expect(lane.knownWait('k', 2, 100)).toMatchObject({ waitMs: 300 });
  });
});

describe('reserveLocally', () => {
  it('grants as many slots as the limit, whatever their key', () => {
    const lane = laneWith(slot('a', 100, 'other'));
    const first = lane.reserveLocally(2, 0);
    expect(first).toMatchObject({ granted: true, remaining: 0 });
    lane.add(slot('b', 80), 0);
    expect(lane.reserveLocally(2, 50)).toEqual({ granted: false, waitMs: 30, reason: 'quota' });
    expect(lane.reserveLocally(2, 80)).toMatchObject({ granted: true });
  });
});

it('counts 429s in a row, until another response', () => {
  const lane = laneWith();
  expect([lane.count429(), lane.count429()]).toEqual([1, 2]);
  lane.responded({}, 0);
  expect(lane.count429()).toBe(1);
});

describe('status', () => {
  it('is the whole quota at first', () => {
    expect(laneWith().status(0, WALL)).toEqual({ limit: 2, remaining: 2, resetAt: WALL });
  });

  it('counts the slots that are taken', () => {
    const lane = laneWith(slot('a', 100), slot('b', 70));
    expect(lane.status(20, WALL)).toEqual({ limit: 2, remaining: 0, resetAt: WALL + 50 });
    expect(lane.status(70, WALL)).toEqual({ limit: 2, remaining: 1, resetAt: WALL + 30 });
  });

  it('has nothing left while the endpoint is blocked', () => {
    const lane = laneWith(slot('a', 100));
    lane.block(500);
    expect(lane.status(0, WALL)).toEqual({ limit: 2, remaining: 0, resetAt: WALL + 500 });
  });

  it('takes over what the hub says, until the reset', () => {
    const lane = laneWith();
    lane.responded({ remaining: 0, resetMs: 400 }, 0);
    expect(lane.status(0, WALL)).toEqual({ limit: 2, remaining: 0, resetAt: WALL + 400 });
    expect(lane.status(400, WALL)).toMatchObject({ remaining: 2 });
  });

  it('is never more than this client has left itself', () => {
    const lane = laneWith(slot('a', 100));
    lane.responded({ remaining: 50, resetMs: 400 }, 0);
    expect(lane.status(0, WALL)).toMatchObject({ remaining: 1 });
  });
});
