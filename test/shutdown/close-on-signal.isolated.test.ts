import { EventEmitter } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeOnSignal, type StopReport } from 'opendelivery-client';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { soon } from '../soon.js';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** In place of the global `process`. */
function processOn(platform: string, isChild = false) {
  const exit = vi.fn();
  const fake = Object.assign(new EventEmitter(), { platform, exit, exitCode: undefined, env: process.env });
  if (isChild) Object.assign(fake, { send: () => true });
  vi.stubGlobal('process', fake);
  const names = () => fake.eventNames().map(String).sort();
  return { fake, exit, names };
}

const report = (handled: number, unacknowledged: string[] = []): StopReport => ({
  handled,
  acknowledged: handled,
  unacknowledged,
  timedOut: false,
});

it('listens to SIGINT and SIGTERM, on Windows also to SIGBREAK, and to messages only in a child process', () => {
  for (const [platform, isChild, expected] of [
    ['linux', false, ['SIGINT', 'SIGTERM']],
    ['win32', false, ['SIGBREAK', 'SIGINT', 'SIGTERM']],
    ['win32', true, ['SIGBREAK', 'SIGINT', 'SIGTERM', 'message']],
  ] as const) {
    const { names } = processOn(platform, isChild);
    const remove = closeOnSignal({ close: () => {} });
    expect(names()).toEqual(expected);
    remove();
    expect(names()).toEqual([]);
  }
});

it('closes one after another, each with the time limit, and adds up the reports of all', async () => {
  const { fake, exit, names } = processOn('win32', true);
  const log = vi.spyOn(console, 'log').mockReturnValue();
  const closed: unknown[] = [];
  const thing = (name: string, result: unknown) => ({
    close: async (options: object) => {
      closed.push([name, options]);
      await new Promise(setImmediate);
      closed.push(`${name} is closed`);
      return result;
    },
  });
  const remove = closeOnSignal(
    thing('poller', report(1)),
    thing('client', [report(2, ['e1'])]),
    thing(
      'fleet',
      new Map([
        ['a', report(3)],
        ['b', report(4, ['e2', 'e3'])],
      ]),
    ),
    thing('database', undefined),
    { timeoutMs: 5000 },
  );
  onTestFinished(remove);
  fake.emit('SIGBREAK');
  await soon(() => expect(log).toHaveBeenCalled());
  expect(closed).toEqual(
    ['poller', 'client', 'fleet', 'database'].flatMap((name) => [
      [name, { timeoutMs: 5000 }],
      `${name} is closed`,
    ]),
  );
  expect(log.mock.calls).toEqual([['closed on SIGBREAK: 10 handled, 10 acknowledged, 3 left at the hub']]);
  expect(exit).not.toHaveBeenCalled();
  // Otherwise the channel to the parent would keep the process alive.
  await soon(() => expect(names()).toEqual(['SIGBREAK', 'SIGINT', 'SIGTERM']));
  fake.emit('SIGBREAK');
  expect(exit).toHaveBeenCalledExactlyOnceWith(149);
});

it('waits for the requests of a server before it closes what they use, but not for connections that clients keep', async () => {
  const { fake } = processOn('linux');
  vi.spyOn(console, 'log').mockReturnValue();
  const done: string[] = [];
  let respond = () => {};
  const server = createServer((_request, response) => {
    respond = () => {
      done.push('request');
      response.end();
    };
    fake.emit('SIGTERM');
    setImmediate(() => setImmediate(() => respond()));
  });
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const closed = new Promise<void>((resolve) => {
    const pool = {
      close: () => {
        done.push('pool');
        resolve();
      },
    };
    closeOnSignal(server, pool, { timeoutMs: Number.POSITIVE_INFINITY });
  });
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  get({ port, host: '127.0.0.1', agent }, (response) => response.resume());
  await closed;
  expect(done).toEqual(['request', 'pool']);
});

it('closes what follows a close() that never ends', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { fake } = processOn('linux');
  const log = vi.spyOn(console, 'log').mockReturnValue();
  const error = vi.spyOn(console, 'error').mockReturnValue();
  const close = vi.fn();
  closeOnSignal({ close: () => new Promise(() => {}) }, { close }, { timeoutMs: 3000 });
  fake.emit('SIGTERM');
  await vi.advanceTimersByTimeAsync(13_000);
  expect(close).toHaveBeenCalledOnce();
  expect(log).toHaveBeenCalledOnce();
  expect(error.mock.calls.join()).toContain('a close() has not ended');
  expect(fake.exitCode).toBe(1);
});

it('does nothing where there is no process, as in a Worker', () => {
  vi.stubGlobal('process', undefined);
  expect(() => closeOnSignal({ close: () => {} })()).not.toThrow();
});

it('waits 30 seconds unless the options say otherwise', async () => {
  const { fake } = processOn('linux');
  vi.spyOn(console, 'log').mockReturnValue();
  const close = vi.fn();
  closeOnSignal({ close });
  fake.emit('SIGTERM');
  expect(close).toHaveBeenCalledExactlyOnceWith({ timeoutMs: 30_000 });
});

it.each([
  ['nothing', [], 'closeOnSignal: pass what has close()'],
  ['only options', [{ timeoutMs: 1 }], 'closeOnSignal: pass what has close()'],
  ['something without close in front', [{}, { close: () => {} }], 'closeOnSignal: pass what has close()'],
  ['an unknown option', [{ close: () => {} }, { timeout: 1 }], 'timeout: is not an option'],
  ['a time that is none', [{ close: () => {} }, { timeoutMs: -1 }], 'timeoutMs: must be a number'],
])('refuses %s', (_what, things, message) => {
  expect(() => closeOnSignal(...(things as never[]))).toThrow(message);
});
