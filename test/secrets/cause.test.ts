import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Redactor, WITHHELD } from '../../src/secrets/redactor.js';

const KEY = 'the-api-key';

function copyOf(error: unknown): unknown {
  const redactor = new Redactor();
  redactor.add(KEY);
  return redactor.cause(error);
}

const shown = (value: unknown) => inspect(value, { showHidden: true, depth: null });

const throwing = (name: string) =>
  Object.defineProperty(new Error(KEY), name, {
    get() {
      throw new Error(KEY);
    },
  });

const cyclic = new Error(`one ${KEY}`);
cyclic.cause = new Error(`two ${KEY}`, { cause: cyclic });

describe('the copy of a foreign error', () => {
  it('has its name, message, codes and causes, masked', () => {
    const inner = Object.assign(new TypeError(`socket of ${KEY}`), { code: 'ECONNRESET', errno: -104 });
    const copy = copyOf(
      Object.assign(new Error(`failed for ${KEY}`, { cause: inner }), { request: KEY }),
    ) as Error;
    expect(copy.message).toBe('failed for [secret]');
    expect(copy.cause).toMatchObject({
      name: 'TypeError',
      message: 'socket of [secret]',
      code: 'ECONNRESET',
      errno: -104,
    });
    expect(shown(copy)).not.toContain(KEY);
  });

  it.each([
    ['a message that throws', throwing('message')],
    ['a stack that throws', throwing('stack')],
    ['a cause that throws', throwing('cause')],
    ['a code that throws', throwing('code')],
    ['a cycle of causes', cyclic],
    ['a message of 100 MB', new Error(KEY.repeat(10_000_000))],
    ['a message that is not a string', Object.assign(new Error(), { message: { toString: () => KEY } })],
    [
      'a proxy whose every trap throws',
      new Proxy(new Error(KEY), {
        get() {
          throw new Error(KEY);
        },
        getPrototypeOf() {
          throw new Error(KEY);
        },
      }),
    ],
  ])('of an error with %s is made all the same', (_name, error) => {
    expect(shown(copyOf(error))).not.toContain(KEY);
  });

  it('withholds a message that cannot be checked', () => {
    expect(copyOf(new Error('x'.repeat(2 ** 20 + 1)))).toMatchObject({ message: WITHHELD });
  });

  it('is undefined where there is no error', () => {
    expect([copyOf({ message: KEY }), copyOf(undefined), copyOf(1)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(copyOf(`not ${KEY}`)).toBe('not [secret]');
  });
});
