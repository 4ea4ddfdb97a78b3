import type { State } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';

/** What every state adapter must do, whatever it keeps its entries in. */
export function stateContract(name: string, make: () => State | Promise<State>): void {
  const begin = async () => ({ clock: new ManualClock(), state: await make() });

  describe(`${name}: values`, () => {
    it('are kept for their time and no longer', async () => {
      const { clock, state } = await begin();
      expect(await state.get('key', clock)).toBeUndefined();
      await state.set('key', 'value', 1000, clock);
      await clock.advance(999);
      expect(await state.get('key', clock)).toBe('value');
      await clock.advance(1);
      expect(await state.get('key', clock)).toBeUndefined();
    });

    it('are replaced whole, and are separate by key', async () => {
      const { clock, state } = await begin();
      await state.set('a', 'one', 1000, clock);
      await state.set('b', 'two', 1000, clock);
      await state.set('a', 'three', 5000, clock);
      await clock.advance(2000);
      expect([await state.get('a', clock), await state.get('b', clock)]).toEqual(['three', undefined]);
    });

    it('are deleted, compared where that is asked for', async () => {
      const { clock, state } = await begin();
      await state.set('key', 'new', 1000, clock);
      await state.delete('key', 'old', clock);
      expect(await state.get('key', clock)).toBe('new');
      await state.delete('key', 'new', clock);
      expect(await state.get('key', clock)).toBeUndefined();
      await state.set('key', 'x', 1000, clock);
      await state.delete('key', undefined, clock);
      expect(await state.get('key', clock)).toBeUndefined();
    });

    it('of any text come back as they were', async () => {
      const { clock, state } = await begin();
      for (const value of ['', 'a\nb', '\u0000', 'é漢字😀', '{"a":1}', '__proto__', 'x'.repeat(1_000_000)]) {
        await state.set('__proto__', value, 1000, clock);
        expect(await state.get('__proto__', clock)).toBe(value);
      }
    });
  });

  describe(`${name}: reservations`, () => {
    const request = { limit: 2, holdMs: 90_000 };

    it('are granted up to the limit, and tell how long there is none', async () => {
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

    it('are granted once each to any number who ask at once', async () => {
      const { clock, state } = await begin();
      const answers = await Promise.all(Array.from({ length: 20 }, () => state.reserve('q', request, clock)));
      expect(answers.filter(({ granted }) => granted)).toHaveLength(2);
      expect(new Set(answers.map((answer) => (answer.granted ? answer.id : 'none'))).size).toBe(3);
    });

    it('free when they are settled, and of themselves after holdMs', async () => {
      const { clock, state } = await begin();
      const first = await state.reserve('q', request, clock);
      await state.reserve('q', request, clock);
      if (first.granted) await state.settle('q', first.id, 60_000, clock);
      await clock.advance('60s');
      expect(await state.reserve('q', request, clock)).toMatchObject({ granted: true });
      expect(await state.reserve('q', request, clock)).toEqual({
        granted: false,
        waitMs: 30_000,
        reason: 'quota',
      });
      await clock.advance('30s');
      expect(await state.reserve('q', request, clock)).toMatchObject({ granted: true });
    });

    it('are not shaken by a settled id nobody knows', async () => {
      const { clock, state } = await begin();
      await state.settle('q', 'unknown', 0, clock);
      expect(await state.reserve('q', request, clock)).toMatchObject({ granted: true, remaining: 1 });
    });

    it('are refused while shut; a shorter closure does not end a longer one', async () => {
      const { clock, state } = await begin();
      await state.shut('q', 5000, clock);
      await state.shut('q', 1000, clock);
      expect(await state.reserve('q', request, clock)).toEqual({
        granted: false,
        waitMs: 5000,
        reason: 'shut',
      });
      await clock.advance('5s');
      expect(await state.reserve('q', request, clock)).toMatchObject({ granted: true });
    });
  });

  describe(`${name}: handled ids`, () => {
    it('are recalled for their time, and are separate by key', async () => {
      const { clock, state } = await begin();
      await state.remember('s', ['a', 'b'], 1000, clock);
      await clock.advance(500);
      await state.remember('s', ['b', 'c'], 1000, clock);
      expect([...(await state.recall('s', ['a', 'b', 'c', 'd'], clock))].sort()).toEqual(['a', 'b', 'c']);
      expect(await state.recall('other', ['a'], clock)).toEqual([]);
      expect(await state.recall('s', [], clock)).toEqual([]);
      await clock.advance(600);
      expect([...(await state.recall('s', ['a', 'b', 'c'], clock))].sort()).toEqual(['b', 'c']);
    });

    it('hold thousands', async () => {
      const { clock, state } = await begin();
      const ids = Array.from({ length: 5000 }, (_, index) => `id-${index}`);
      await state.remember('s', ids, 1000, clock);
      expect(await state.recall('s', [...ids, 'unknown'], clock)).toHaveLength(5000);
    });
  });
}
