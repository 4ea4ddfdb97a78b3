import { describe, expect, it } from 'vitest';
import { changedPaths } from '../../src/merchant/changed-paths.js';

const nested = (depth: number, bottom: unknown): object =>
  depth === 1 ? { next: bottom } : { next: nested(depth - 1, bottom) };

describe('the changed paths of two objects', () => {
  it.each<[unknown, unknown]>([
    [1, 1],
    [null, null],
    [undefined, undefined],
    [Number.NaN, Number.NaN],
    [0, -0],
    [{}, {}],
    [{ a: undefined }, {}],
    [
      { a: 1, b: [1, { c: 2 }] },
      { b: [1, { c: 2 }], a: 1 },
    ],
  ])('are none: %#', (before, after) => {
    expect(changedPaths({ x: before }, { x: after })).toEqual([]);
    expect(changedPaths([before], [after])).toEqual([]);
  });

  it.each<[object, object, (string | number)[][]]>([
    [[], {}, [[]]],
    [{ a: null }, { a: {} }, [['a']]],
    [[1], [], [[0]]],
    [{ a: 1 }, { a: 2 }, [['a']]],
    [{ a: 1 }, { b: 1 }, [['a'], ['b']]],
    [
      { a: [1, 2, 3] },
      { a: [1, 9] },
      [
        ['a', 1],
        ['a', 2],
      ],
    ],
    [{ a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 2 }] } }, [['a', 'b', 0, 'c']]],
    [{ a: null }, { a: false }, [['a']]],
    [{ a: 1 }, { a: '1' }, [['a']]],
  ])('lead to each difference: %#', (before, after, paths) => {
    expect(changedPaths(before, after)).toEqual(paths);
  });

  it('skip keys of the root only', () => {
    const isSkipped = (key: string) => key === 'TTL';
    expect(changedPaths({ TTL: 1, a: { TTL: 1 } }, { TTL: 2, a: { TTL: 2 } }, isSkipped)).toEqual([
      ['a', 'TTL'],
    ]);
  });

  it('have at most 64 keys', () => {
    expect(changedPaths(nested(64, 1), nested(64, 2))[0]).toHaveLength(64);
    expect(changedPaths(nested(65, 1), nested(65, 2))).toEqual([Array(64).fill('next')]);
    expect(changedPaths(nested(65, 1), nested(65, 1))).toEqual([]);
  });

  it('end in values that contain themselves', () => {
    const cyclic = (name: string) => {
      const value: Record<string, unknown> = { name };
      value.self = value;
      return value;
    };
    expect(changedPaths(cyclic('a'), cyclic('a'))).toEqual([]);
    expect(changedPaths(cyclic('a'), cyclic('b'))).toEqual([['name']]);
  });
});
