import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Redactor, WITHHELD } from '../../src/secrets/redactor.js';

const KEY = 'the-api-key';

function maskedCopyOf(error: unknown): unknown {
  const redactor = new Redactor();
  redactor.add(KEY);
  return redactor.maskError(error);
}

const printed = (value: unknown) => inspect(value, { showHidden: true, depth: null });

const throwing = (name: string) =>
  Object.defineProperty(new Error(KEY), name, {
    get() {
      throw new Error(KEY);
    },
  });

const cyclic = new Error(`one ${KEY}`);
cyclic.cause = new Error(`two ${KEY}`, { cause: cyclic });

describe("the copy of another library's error", () => {
  it('has the name, message, codes and causes of the error, masked, and no other field', () => {
    const inner = Object.assign(new TypeError(`socket of ${KEY}`), { code: 'ECONNRESET', errno: -104 });
    const copy = maskedCopyOf(
      Object.assign(new Error(`failed for ${KEY}`, { cause: inner }), { request: KEY }),
    ) as Error;
    expect(copy.message).toBe('failed for [secret]');
    expect(copy.cause).toMatchObject({
      name: 'TypeError',
      message: 'socket of [secret]',
      code: 'ECONNRESET',
      errno: -104,
    });
    expect(printed(copy)).not.toContain(KEY);
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
  ])('is made of an error with %s', (_name, error) => {
    expect(printed(maskedCopyOf(error))).not.toContain(KEY);
  });

  it('has a withheld message if the message cannot be checked', () => {
    expect(maskedCopyOf(new Error('x'.repeat(2 ** 20 + 1)))).toMatchObject({ message: WITHHELD });
  });

  it('is undefined if the value is not an error, and a masked string if it is a string', () => {
    expect([maskedCopyOf({ message: KEY }), maskedCopyOf(undefined), maskedCopyOf(1)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(maskedCopyOf(`not ${KEY}`)).toBe('not [secret]');
  });
});
