import type { Lease, Reservation, State } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { HANDLED, MAX_COUNTED_ATTEMPTS } from '../../src/state/port.js';
import { NOT_RENEWED, recalled } from './recalled.js';

/** Creates an empty state that uses the clock. */
export type MakeState = (clock: ManualClock) => State | Promise<State>;

/** The rules of `State`, which every adapter must pass. */
export function stateContract(name: string, make: MakeState): void {
  const begin = async () => {
    const clock = new ManualClock();
    return { clock, state: await make(clock) };
  };

  describe(`${name}: values`, () => {
    it('expire after their lifetime, and not before', async () => {
      const { clock, state } = await begin();
      expect(await state.get('key', clock)).toBeUndefined();
      await state.set('key', 'value', 1000, clock);
      await clock.advance(999);
      expect(await state.get('key', clock)).toBe('value');
      await clock.advance(1);
      expect(await state.get('key', clock)).toBeUndefined();
    });

    it('are replaced completely, with their lifetime, and each key has its own', async () => {
      const { clock, state } = await begin();
      await state.set('a', 'one', 1000, clock);
      await state.set('b', 'two', 1000, clock);
      await state.set('a', 'three', 5000, clock);
      await clock.advance(2000);
      expect([await state.get('a', clock), await state.get('b', clock)]).toEqual(['three', undefined]);
      await state.set('a', 'four', 0, clock);
      expect(await state.get('a', clock)).toBeUndefined();
    });

    it('are deleted, with an expected value only if they equal it', async () => {
      const { clock, state } = await begin();
      await state.set('key', 'new', 1000, clock);
      await state.delete('key', 'old', clock);
      expect(await state.get('key', clock)).toBe('new');
      await state.delete('key', 'new', clock);
      expect(await state.get('key', clock)).toBeUndefined();
      await state.set('key', 'x', 1000, clock);
      await state.delete('key', undefined, clock);
      expect(await state.get('key', clock)).toBeUndefined();
      await state.delete('key', undefined, clock);
      await state.delete('key', 'x', clock);
    });

    it('of any string are returned unchanged', async () => {
      const { clock, state } = await begin();
      const values = ['', 'a\nb', '\u0000', 'é漢字😀\u2028', '{"a":1}', '__proto__', 'x'.repeat(1_000_000)];
      for (const value of values) {
        await state.set('__proto__', value, 1000, clock);
        expect(await state.get('__proto__', clock)).toBe(value);
      }
    });

    it('that are written at the same time are never mixed, and the last one stays', async () => {
      const { clock, state } = await begin();
      const values = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000));
      await Promise.all(values.map((value) => state.set('key', value, 1000, clock)));
      expect(await state.get('key', clock)).toBe(values.at(-1));
    });
  });

  describe(`${name}: reservations`, () => {
    const request = { limit: 2, holdMs: 90_000 };

    it('are granted up to the limit, then refused with the time to wait', async () => {
      const { clock, state } = await begin();
      expect(await state.reserve('q', request, clock)).toMatchObject({ granted: true, remaining: 1 });
      await clock.advance('10s');
      expect(await state.reserve('q', request, clock)).toMatchObject({ granted: true, remaining: 0 });
      expect(await state.reserve('q', request, clock)).toEqual({
        granted: false,
        waitMs: 80_000,
        reason: 'quota',
      });
      expect(await state.reserve('other', request, clock)).toMatchObject({ granted: true });
    });

    it('that are requested at the same time never exceed the limit', async () => {
      const { clock, state } = await begin();
      const results = await Promise.all(Array.from({ length: 20 }, () => state.reserve('q', request, clock)));
      expect(results.filter(({ granted }) => granted)).toHaveLength(2);
      expect(new Set(results.map((result) => (result.granted ? result.id : 'refused'))).size).toBe(3);
    });

    it('free when they are settled, or after holdMs', async () => {
      const { clock, state } = await begin();
      const first = await state.reserve('q', request, clock);
      await state.reserve('q', request, clock);
      await state.settle('q', idOf(first), 60_000, clock);
      await clock.advance(59_999);
      expect(await state.reserve('q', request, clock)).toEqual({
        granted: false,
        waitMs: 1,
        reason: 'quota',
      });
      await clock.advance(1);
      expect(await state.reserve('q', request, clock)).toMatchObject({ granted: true });
      expect(await state.reserve('q', request, clock)).toEqual({
        granted: false,
        waitMs: 30_000,
        reason: 'quota',
      });
      await clock.advance('30s');
      expect(await state.reserve('q', request, clock)).toMatchObject({ granted: true });
    });

    it('that are settled with 0 free at once', async () => {
      const { clock, state } = await begin();
      const first = await state.reserve('q', request, clock);
      await state.reserve('q', request, clock);
      await state.settle('q', idOf(first), 0, clock);
      expect(await state.reserve('q', request, clock)).toMatchObject({ granted: true, remaining: 0 });
    });

    it('form a sliding window: never more than the limit in any minute', async () => {
      const { clock, state } = await begin();
      const grants: number[] = [];
      for (let second = 0; second < 300; second += 1) {
        const result = await state.reserve('q', request, clock);
        if (result.granted) {
          grants.push(second);
          await state.settle('q', result.id, 60_000, clock);
        }
        await clock.advance('1s');
      }
      expect(grants).toEqual([0, 1, 60, 61, 120, 121, 180, 181, 240, 241]);
    });

    it('use the limit of each request', async () => {
      const { clock, state } = await begin();
      const some = { limit: 1, holdMs: 90_000 };
      expect(await state.reserve('q', some, clock)).toMatchObject({ granted: true, remaining: 0 });
      expect(await state.reserve('q', some, clock)).toMatchObject({ granted: false, reason: 'quota' });
      expect(await state.reserve('q', request, clock)).toMatchObject({ granted: true, remaining: 0 });
      expect(await state.reserve('q', some, clock)).toMatchObject({ granted: false, reason: 'quota' });
    });

    it('ignore an unknown id that is settled with 0', async () => {
      const { clock, state } = await begin();
      await state.settle('q', 'unknown', 0, clock);
      expect(await state.reserve('q', request, clock)).toMatchObject({ granted: true, remaining: 1 });
    });

    it('that expired before they were settled are taken again', async () => {
      const { clock, state } = await begin();
      const late = await state.reserve('q', request, clock);
      await clock.advance('100s');
      expect(await state.reserve('q', request, clock)).toMatchObject({ granted: true, remaining: 1 });
      await state.settle('q', idOf(late), 60_000, clock);
      expect(await state.reserve('q', request, clock)).toEqual({
        granted: false,
        waitMs: 60_000,
        reason: 'quota',
      });
    });

    it('are refused while shut, and a shorter shut does not end a longer one', async () => {
      const { clock, state } = await begin();
      await state.shut('q', 5000, clock);
      await state.shut('q', 1000, clock);
      expect(await state.reserve('q', request, clock)).toEqual({
        granted: false,
        waitMs: 5000,
        reason: 'shut',
      });
      expect(await state.reserve('other', request, clock)).toMatchObject({ granted: true });
      await clock.advance('5s');
      expect(await state.reserve('q', request, clock)).toMatchObject({ granted: true });
      await state.shut('q', 1000, clock);
      await state.shut('q', 3000, clock);
      expect(await state.reserve('q', request, clock)).toMatchObject({ waitMs: 3000, reason: 'shut' });
    });

    it('and shuts do not change each other', async () => {
      const { clock, state } = await begin();
      await state.reserve('q', request, clock);
      await state.shut('q', 1000, clock);
      await clock.advance('1s');
      expect(await state.reserve('q', request, clock)).toMatchObject({ granted: true, remaining: 0 });
      await state.shut('q', 3_600_000, clock);
      await clock.advance('1h');
      expect(await state.reserve('q', request, clock)).toMatchObject({ granted: true, remaining: 1 });
    });
  });

  describe(`${name}: a clock that is set back by an hour`, () => {
    const request = { limit: 2, holdMs: 90_000 };
    const HOUR_MS = 3_600_000;

    it('keeps no lease longer than it was granted for', async () => {
      const { clock, state } = await begin();
      await state.lease('q', { holder: 'a', leaseMs: 45_000 }, clock);
      clock.step(-HOUR_MS);
      const refused = await state.lease('q', { holder: 'b', leaseMs: 60_000 }, clock);
      expect(refused).toEqual({ granted: false, waitMs: 45_000 });
      const reserved = await state.reserve('q', { ...request, lease: { holder: 'b', leaseMs: 1 } }, clock);
      expect(reserved).toEqual({ granted: false, waitMs: 45_000, reason: 'leased' });
      await clock.advance(44_999);
      expect(await state.lease('q', { holder: 'b', leaseMs: 60_000 }, clock)).toMatchObject({ waitMs: 1 });
      await clock.advance(1);
      expect(await state.lease('q', { holder: 'b', leaseMs: 60_000 }, clock)).toMatchObject({
        granted: true,
      });
    });

    it('keeps no slot taken longer than it was reserved for', async () => {
      const { clock, state } = await begin();
      const first = await state.reserve('q', request, clock);
      await state.reserve('q', request, clock);
      await state.settle('q', idOf(first), 60_000, clock);
      clock.step(-HOUR_MS);
      const refused = await state.reserve('q', request, clock);
      expect(refused).toMatchObject({ granted: false, reason: 'quota' });
      expect((refused as { waitMs: number }).waitMs).toBeLessThanOrEqual(90_000);
      await clock.advance('90s');
      expect(await state.reserve('q', request, clock)).toMatchObject({ granted: true, remaining: 1 });
    });

    it('frees no slot earlier, also of a request that is allowed to take longer', async () => {
      const { clock, state } = await begin();
      await state.reserve('q', { limit: 1, holdMs: 180_000 }, clock);
      clock.step(-HOUR_MS);
      const short = { limit: 1, holdMs: 90_000 };
      expect(await state.reserve('q', short, clock)).toEqual({
        granted: false,
        waitMs: 180_000,
        reason: 'quota',
      });
      await clock.advance(179_999);
      expect(await state.reserve('q', short, clock)).toMatchObject({ granted: false, waitMs: 1 });
      await clock.advance(1);
      expect(await state.reserve('q', short, clock)).toMatchObject({ granted: true });
    });

    it('keeps nothing shut longer than the hub has asked for', async () => {
      const { clock, state } = await begin();
      await state.shut('q', 60_000, clock);
      await state.shut('q', 120_000, clock);
      clock.step(-HOUR_MS);
      expect(await state.reserve('q', request, clock)).toEqual({
        granted: false,
        waitMs: 120_000,
        reason: 'shut',
      });
      await clock.advance('30s');
      // A shorter one does not end it, and a longer one still counts.
      await state.shut('q', 60_000, clock);
      expect(await state.reserve('q', request, clock)).toMatchObject({ waitMs: 90_000, reason: 'shut' });
      await clock.advance(90_000);
      expect(await state.reserve('q', request, clock)).toMatchObject({ granted: true, remaining: 1 });
    });

    it('counts a shut that comes after it, however long an earlier one seems to last', async () => {
      const { clock, state } = await begin();
      await state.shut('q', 1000, clock);
      clock.step(-HOUR_MS);
      await state.shut('q', 120_000, clock);
      expect(await state.reserve('q', request, clock)).toEqual({
        granted: false,
        waitMs: 120_000,
        reason: 'shut',
      });
    });
  });

  describe(`${name}: handled ids`, () => {
    it('are recalled until their lifetime ends, for each key alone', async () => {
      const { clock, state } = await begin();
      await state.remember('s', ['a', 'b'], 1000, clock);
      await clock.advance(500);
      await state.remember('s', ['b', 'c'], 1000, clock);
      expect(await recalled(state, 's', ['a', 'b', 'c', 'd'], clock)).toEqual(['a', 'b', 'c']);
      expect(await recalled(state, 'other', ['a'], clock)).toEqual([]);
      expect(await recalled(state, 's', [], clock)).toEqual([]);
      await clock.advance(499);
      expect(await recalled(state, 's', ['a'], clock)).toEqual(['a']);
      await clock.advance(1);
      expect(await recalled(state, 's', ['c', 'b', 'a', 'c'], clock)).toEqual(['c', 'b', 'c']);
    });

    it('may have a longer or shorter lifetime than those before', async () => {
      const { clock, state } = await begin();
      await state.remember('s', ['long'], 10_000, clock);
      await state.remember('s', ['short'], 1000, clock);
      await state.remember('s', ['none'], 0, clock);
      await state.remember('s', [], 1000, clock);
      await clock.advance(1000);
      expect(await recalled(state, 's', ['long', 'short', 'none'], clock)).toEqual(['long']);
      await state.remember('s', ['new'], 1000, clock);
      await clock.advance(1000);
      expect(await recalled(state, 's', ['long', 'new'], clock)).toEqual(['long']);
    });

    it('of any string are distinguished', async () => {
      const { clock, state } = await begin();
      const ids = ['__proto__', 'constructor', ' ', '\n', '\u2028', 'é', 'e\u0301', '0', '00', '😀'];
      await state.remember('__proto__', ids, 1000, clock);
      expect(await recalled(state, '__proto__', [...ids, 'toString', ''], clock)).toEqual(ids);
    });

    it('can be thousands', async () => {
      const { clock, state } = await begin();
      const ids = Array.from({ length: 5000 }, (_, index) => `id-${index}`);
      await state.remember('s', ids, 1000, clock);
      expect(await recalled(state, 's', [...ids, 'unknown'], clock)).toEqual(ids);
    });
  });

  describe(`${name}: attempts`, () => {
    const lifetimes = { handledMs: 1000, attemptedMs: 4000 };

    it('are counted for each id, also by several calls at the same time, and taken back', async () => {
      const { clock, state } = await begin();
      expect(await state.count('s', ['a', 'b'], 1, 4000, clock)).toEqual([1, 1]);
      const results = await Promise.all([1, 2, 3].map(() => state.count('s', ['a'], 1, 4000, clock)));
      expect(results.flat().sort()).toEqual([2, 3, 4]);
      expect(await state.count('s', ['a', 'b', 'c'], -1, 4000, clock)).toEqual([3, 0, 0]);
      expect(await state.recall('s', ['a', 'b', 'c'], lifetimes, clock)).toEqual([3, 0, 0]);
      expect(await state.recall('other', ['a'], lifetimes, clock)).toEqual([0]);
      expect(await state.count('s', [], 1, 4000, clock)).toEqual([]);
    });

    it('are replaced when the id is handled, and a handled id stays handled', async () => {
      const { clock, state } = await begin();
      await state.count('s', ['a'], 1, 4000, clock);
      await state.remember('s', ['a'], 4000, clock);
      expect(await state.recall('s', ['a'], lifetimes, clock)).toEqual([HANDLED]);
      expect(await state.count('s', ['a'], 1, 4000, clock)).toEqual([HANDLED]);
      expect(await state.count('s', ['a'], -1, 4000, clock)).toEqual([HANDLED]);
    });

    it('expire after their lifetime', async () => {
      const { clock, state } = await begin();
      await state.count('s', ['a'], 1, 4000, clock);
      await clock.advance(3999);
      expect(await state.recall('s', ['a'], NOT_RENEWED, clock)).toEqual([1]);
      await clock.advance(1);
      expect(await state.recall('s', ['a'], NOT_RENEWED, clock)).toEqual([0]);
      expect(await state.count('s', ['a'], 1, 4000, clock)).toEqual([1]);
    });

    it('and handled ids are renewed by a recall with less than three quarters of their lifetime left', async () => {
      const { clock, state } = await begin();
      await state.count('s', ['attempted'], 1, 4000, clock);
      await state.remember('s', ['handled'], 1000, clock);
      await clock.advance(250);
      expect(await state.recall('s', ['handled', 'attempted'], lifetimes, clock)).toEqual([HANDLED, 1]);
      // Exactly three quarters were left: not renewed.
      await clock.advance(1);
      expect(await state.recall('s', ['handled'], lifetimes, clock)).toEqual([HANDLED]);
      await clock.advance(999);
      expect(await state.recall('s', ['handled'], NOT_RENEWED, clock)).toEqual([HANDLED]);
      await clock.advance(1);
      expect(await state.recall('s', ['handled'], NOT_RENEWED, clock)).toEqual([0]);
      for (let round = 0; round < 10; round += 1) {
        await clock.advance(2000);
        expect(await state.recall('s', ['attempted'], lifetimes, clock)).toEqual([1]);
      }
    });

    it('are counted by a recall, which returns the marks before that', async () => {
      const { clock, state } = await begin();
      await state.remember('s', ['handled'], 9000, clock);
      await state.count('s', ['once'], 1, 9000, clock);
      const ids = ['handled', 'once', 'new', 'not counted'];
      const count = { ids: ['new', 'once', 'handled'], below: Number.POSITIVE_INFINITY };
      expect(await state.recall('s', ids, { ...lifetimes, count }, clock)).toEqual([HANDLED, 1, 0, 0]);
      expect(await state.recall('s', ids, { ...lifetimes, count }, clock)).toEqual([HANDLED, 2, 1, 0]);
      expect(await state.recall('s', ids, lifetimes, clock)).toEqual([HANDLED, 3, 2, 0]);
      expect(await state.recall('other', ids, lifetimes, clock)).toEqual([0, 0, 0, 0]);
      const none = { ids: [], below: 1 };
      expect(await state.recall('s', [], { ...lifetimes, count: none }, clock)).toEqual([]);
      expect(await state.recall('s', ['new'], { ...lifetimes, count: none }, clock)).toEqual([2]);
      expect(await state.recall('s', ['new'], { ...lifetimes, count: undefined }, clock)).toEqual([2]);
    });

    it('are counted by a recall only below the given number', async () => {
      const { clock, state } = await begin();
      await state.count('s', ['once'], 1, 9000, clock);
      const recallBelow = (below: number) =>
        state.recall('s', ['new', 'once'], { ...lifetimes, count: { ids: ['new', 'once'], below } }, clock);
      expect(await recallBelow(0)).toEqual([0, 1]);
      expect(await recallBelow(1)).toEqual([0, 1]);
      expect(await recallBelow(1)).toEqual([1, 1]);
      expect(await recallBelow(2)).toEqual([1, 1]);
      expect(await recallBelow(2)).toEqual([2, 2]);
      expect(await recallBelow(0)).toEqual([2, 2]);
    });

    it('are counted once by a recall in which the id occurs twice, also among thousands', async () => {
      const { clock, state } = await begin();
      const many = Array.from({ length: 2500 }, (_, index) => `id-${index}`);
      const ids = ['a', 'a', ...many, 'a'];
      const request = { ...lifetimes, count: { ids, below: Number.POSITIVE_INFINITY } };
      expect(await state.recall('s', ids, request, clock)).toEqual(ids.map(() => 0));
      expect(await state.recall('s', ids, request, clock)).toEqual(ids.map(() => 1));
      expect(await state.recall('s', ids, lifetimes, clock)).toEqual(ids.map(() => 2));
    });

    it('are counted by several recalls at the same time, of which one finds the id new', async () => {
      const { clock, state } = await begin();
      const recallBelow = (below: number) =>
        Promise.all(
          [1, 2, 3].map(() =>
            state.recall('s', ['a'], { ...lifetimes, count: { ids: ['a'], below } }, clock),
          ),
        );
      expect((await recallBelow(1)).flat().sort()).toEqual([0, 1, 1]);
      expect((await recallBelow(Number.POSITIVE_INFINITY)).flat().sort()).toEqual([1, 2, 3]);
      expect(await state.recall('s', ['a'], lifetimes, clock)).toEqual([4]);
    });

    it('that a recall counts get the lifetime of attempts, and handled ids are renewed as without', async () => {
      const { clock, state } = await begin();
      const ids = ['new', 'attempted', 'handled'];
      await state.count('s', ['attempted'], 1, 100, clock);
      await state.remember('s', ['handled'], 100, clock);
      const count = { ids, below: Number.POSITIVE_INFINITY };
      expect(await state.recall('s', ids, { ...lifetimes, count }, clock)).toEqual([0, 1, HANDLED]);
      await clock.advance(999);
      expect(await state.recall('s', ids, NOT_RENEWED, clock)).toEqual([1, 2, HANDLED]);
      await clock.advance(1);
      expect(await state.recall('s', ids, NOT_RENEWED, clock)).toEqual([1, 2, 0]);
      await clock.advance(2999);
      expect(await state.recall('s', ids, NOT_RENEWED, clock)).toEqual([1, 2, 0]);
      await clock.advance(1);
      expect(await state.recall('s', ids, NOT_RENEWED, clock)).toEqual([0, 0, 0]);
    });

    it('stop growing at 2046', async () => {
      const { clock, state } = await begin();
      const attempts = Array.from({ length: MAX_COUNTED_ATTEMPTS + 3 }, (_, at) => at + 1);
      // At once, so that a state with files syncs once and not two thousand times.
      const marks = await Promise.all(attempts.map(() => state.count('s', ['a'], 1, 4000, clock)));
      expect(marks.flat()).toEqual(attempts.map((attempt) => Math.min(attempt, MAX_COUNTED_ATTEMPTS)));
      const count = { ids: ['a'], below: Number.POSITIVE_INFINITY };
      await state.recall('s', ['a'], { ...lifetimes, count }, clock);
      expect(await state.recall('s', ['a'], lifetimes, clock)).toEqual([MAX_COUNTED_ATTEMPTS]);
    });
  });

  describe(`${name}: leases`, () => {
    const a = { holder: 'a', leaseMs: 45_000 };
    const b = { holder: 'b', leaseMs: 45_000 };
    const fenceOf = (lease: Lease | Reservation): number => {
      if ('fence' in lease && lease.fence !== undefined) return lease.fence;
      throw new Error(`no fence: ${JSON.stringify(lease)}`);
    };

    it('have one holder, who renews; others are refused with the time to wait', async () => {
      const { clock, state } = await begin();
      const first = await state.lease('q', a, clock);
      await clock.advance('15s');
      expect(await state.lease('q', b, clock)).toEqual({ granted: false, waitMs: 30_000 });
      expect(await state.lease('q', a, clock)).toEqual(first);
      await clock.advance('44999ms');
      expect(await state.lease('q', b, clock)).toEqual({ granted: false, waitMs: 1 });
      expect(await state.lease('other', b, clock)).toMatchObject({ granted: true });
    });

    it('end after their time, and the next holder gets a greater fence', async () => {
      const { clock, state } = await begin();
      const first = fenceOf(await state.lease('q', a, clock));
      await clock.advance('45s');
      const second = fenceOf(await state.lease('q', b, clock));
      expect(second).toBeGreaterThan(first);
      expect(await state.lease('q', a, clock)).toEqual({ granted: false, waitMs: 45_000 });
    });

    it('that have ended return to the same holder with the same fence, if nobody else had them', async () => {
      const { clock, state } = await begin();
      const first = await state.lease('q', a, clock);
      await clock.advance('50s');
      expect(await state.lease('q', a, clock)).toEqual(first);
    });

    it('end at once when their holder releases them, and the next one has a new fence', async () => {
      const { clock, state } = await begin();
      const first = fenceOf(await state.lease('q', a, clock));
      await state.release('q', 'b', clock);
      expect(await state.lease('q', b, clock)).toMatchObject({ granted: false });
      await state.release('q', 'a', clock);
      const second = fenceOf(await state.lease('q', b, clock));
      await state.release('q', 'b', clock);
      const third = fenceOf(await state.lease('q', b, clock));
      expect([second > first, third > second]).toEqual([true, true]);
      await state.release('never leased', 'a', clock);
    });

    it('go to one of many holders that ask at the same time', async () => {
      const { clock, state } = await begin();
      const holders = Array.from({ length: 20 }, (_, index) => ({ holder: `${index}`, leaseMs: 1000 }));
      const results = await Promise.all(holders.map((holder) => state.lease('q', holder, clock)));
      expect(results.filter(({ granted }) => granted)).toHaveLength(1);
    });

    it('are acquired and renewed by reserve, which gives slots to their holder only', async () => {
      const { clock, state } = await begin();
      const request = { limit: 1, holdMs: 60_000 };
      const slot = await state.reserve('q', { ...request, lease: a }, clock);
      expect(slot).toMatchObject({
        granted: true,
        remaining: 0,
        fence: fenceOf(await state.lease('q', a, clock)),
      });
      expect(await state.reserve('q', { ...request, limit: 9, lease: b }, clock)).toEqual({
        granted: false,
        waitMs: 45_000,
        reason: 'leased',
      });
      await clock.advance('30s');
      // Without a slot the lease is renewed too.
      expect(await state.reserve('q', { ...request, lease: a }, clock)).toEqual({
        granted: false,
        waitMs: 30_000,
        reason: 'quota',
        fence: fenceOf(slot),
      });
      await state.shut('q', 1000, clock);
      expect(await state.reserve('q', { ...request, lease: a }, clock)).toMatchObject({
        reason: 'shut',
        fence: fenceOf(slot),
      });
      await clock.advance('44999ms');
      expect(await state.lease('q', b, clock)).toEqual({ granted: false, waitMs: 1 });
    });
  });
}

/** The id of a reservation that was granted. */
export function idOf(reservation: Reservation): string {
  if (!reservation.granted) throw new Error(`refused for ${reservation.waitMs} ms`);
  return reservation.id;
}
