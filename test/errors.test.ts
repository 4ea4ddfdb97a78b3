import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import { build } from 'esbuild';
import { ConfigurationError, isHubError } from 'opendelivery-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CartError, HubError, ResponseTooLargeError, StateError, TimeoutError } from '../src/errors/index.js';
import { stage } from './support.js';

/** The error classes of another copy of the package, in a minified bundle. */
async function otherCopy(): Promise<typeof import('../src/errors/index.js')> {
  const source = fileURLToPath(new URL('../src/errors/index.ts', import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    minify: true,
    format: 'cjs',
    target: 'node20',
    write: false,
  });
  const module = { exports: {} };
  runInThisContext(`(module) => {${outputFiles[0]?.text}}`)(module);
  return module.exports as typeof import('../src/errors/index.js');
}

describe('errors', () => {
  it('are instances of their class in every copy of the package, and of its base classes', async () => {
    const copy = await otherCopy();
    expect(copy.StateError).not.toBe(StateError);
    for (const error of [new copy.StateError('down'), new StateError('down')]) {
      for (const classes of [copy, { StateError, HubError, TimeoutError }]) {
        expect(error instanceof classes.StateError).toBe(true);
        expect(error instanceof classes.HubError).toBe(true);
        expect(error instanceof classes.TimeoutError).toBe(false);
      }
      expect(error instanceof Error).toBe(true);
    }
    // As of any class.
    expect(StateError.prototype instanceof HubError).toBe(true);
    expect(Object.create(StateError.prototype) instanceof StateError).toBe(true);
  });

  it('have a name of their own in each class, because instanceof compares it', async () => {
    const classes = Object.values(await import('../src/errors/index.js')).filter(
      (value) => value === HubError || value.prototype instanceof Error,
    );
    expect(classes.length).toBeGreaterThan(15);
    const names = classes.map((each) => Object.entries(each).find(([key]) => key === 'name')?.[1]);
    expect(names).not.toContain(undefined);
    expect(new Set(names).size).toBe(classes.length);
  });

  it('are not instances of an unrelated class that has the same name', async () => {
    const ours = StateError;
    const copy = await otherCopy();
    {
      class StateError extends HubError {
        readonly code = 'mine';
      }
      const mine = new StateError('x');
      expect(mine.name).toBe('StateError');
      expect(mine instanceof StateError).toBe(true);
      expect(mine instanceof HubError).toBe(true);
      expect(mine instanceof copy.HubError).toBe(true);
      expect(mine instanceof ours).toBe(false);
      expect(mine instanceof copy.StateError).toBe(false);
      expect(new ours('x') instanceof StateError).toBe(false);
      expect(new copy.StateError('x') instanceof StateError).toBe(false);
    }
  });

  it('of an application are instances of their own class, also without a name', () => {
    const newClass = () =>
      class extends HubError {
        readonly code = 'mine';
      };
    const [One, Other] = [newClass(), newClass()];
    const one = new One('failed');
    expect([one instanceof One, one instanceof Other, one instanceof HubError]).toEqual([true, false, true]);
  });

  it('are recognized if they come from another copy of the package', () => {
    const foreign = Object.assign(new Error('x'), { [Symbol.for('opendelivery-client.HubError')]: true });
    expect(isHubError(foreign)).toBe(true);
    for (const other of [new Error('x'), null, undefined, 'a string', 7, {}]) {
      expect(isHubError(other)).toBe(false);
    }
  });

  it('have their name, message and fields as JSON, and no stack', () => {
    const error = new ConfigurationError('retry.attempts', 'must be a whole number');
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'ConfigurationError',
      message: 'retry.attempts: must be a whole number',
      retryable: false,
      code: 'configuration',
      option: 'retry.attempts',
    });
  });

  it.each([
    [new TimeoutError('polling', 30_000), 'polling: no complete response within 30000 ms', true],
    [new TimeoutError('listener', 60_000), 'a listener has not settled within 60000 ms', true],
    [
      new ResponseTooLargeError('order', 8),
      'order: the response is larger than 8 bytes; raise maxResponseBytes if that is expected',
      false,
    ],
    [new CartError([]), 'the cart cannot be priced: it is invalid', false],
    [
      new CartError([
        { code: 'empty', path: [], message: 'the cart is empty' },
        { code: 'closed', path: [], message: 'the store is closed' },
      ]),
      'the cart cannot be priced: the cart is empty, and 1 more',
      false,
    ],
  ])('%s', (error, message, retryable) => {
    expect(error).toMatchObject({ message, retryable });
    expect(isHubError(error)).toBe(true);
  });

  it('of a request that callers can share name the caller in their stack', async () => {
    const limit = Error.stackTraceLimit;
    onTestFinished(() => void (Error.stackTraceLimit = limit));
    Error.stackTraceLimit = 50;
    const { mock, hub } = stage();
    async function readMenu() {
      await hub.merchant.get();
    }
    async function renewToken() {
      await hub.auth.getToken();
    }
    mock.faults.next('merchant', 404);
    await expect(readMenu()).rejects.toMatchObject({ stack: expect.stringContaining('readMenu') });
    mock.faults.next('token', 401);
    await expect(renewToken()).rejects.toMatchObject({ stack: expect.stringContaining('renewToken') });
  });
});
