import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { HubClient, type HubClientOptions, memoryState, StateError } from 'opendelivery-client';
import { createMockHub } from 'opendelivery-client/testing';
import { pino } from 'pino';
import { describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest';
import winston from 'winston';
import { guardLogger } from '../src/observe/logger.js';
import { checksOnlyTypes } from './assertions.js';
import { methodsOf } from './state/methods.js';
import { stage } from './support.js';

type AnyLogger = Exclude<HubClientOptions['logger'], false | undefined>;

const cause = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
const ours = new StateError('the state is down', { cause });
const theirs = Object.freeze(
  Object.assign(new TypeError('100%d of the paper is used up'), { code: 'E_PAPER' }),
);

/** A stream, and the lines that were written to it. */
function sink(): { stream: Writable; lines: string[] } {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(...String(chunk).split('\n').filter(Boolean));
      done();
    },
  });
  return { stream, lines };
}

/** What a logger writes as JSON. */
function jsonLines(make: (stream: Writable) => AnyLogger): Record<string, unknown>[] {
  const { stream, lines } = sink();
  const logger = guardLogger(make(stream));
  logger.warn('first', { error: ours });
  logger.error('second %s', { error: theirs });
  logger.info('third');
  return lines.map((line) => JSON.parse(line));
}

const winstonOf = (stream: Writable, format = winston.format.json()) =>
  winston.createLogger({ format, transports: [new winston.transports.Stream({ stream })] });

describe('pino', () => {
  it.each<[string, (stream: Writable) => AnyLogger]>([
    ['the root logger', (stream) => pino({ base: null }, stream)],
    ['a child logger', (stream) => pino({ base: null }, stream).child({ part: 'hub' })],
    ['with another key for errors', (stream) => pino({ base: null, errorKey: 'error' }, stream)],
  ])('(%s) receives the message, and the error with its type, code, stack and cause', (_name, make) => {
    const [first, second, third] = jsonLines(make);
    expect(first).toMatchObject({
      level: 40,
      msg: 'first',
      err: {
        type: 'StateError',
        message: 'the state is down: connection refused',
        code: 'state',
        stack: expect.stringMatching(/logger\.test\.ts[\s\S]*caused by: Error: connection refused/),
      },
    });
    expect(second).toMatchObject({
      level: 50,
      msg: 'second %s',
      err: {
        type: 'TypeError',
        message: theirs.message,
        code: 'E_PAPER',
        stack: expect.stringContaining('logger.test.ts'),
      },
    });
    expect(third).toMatchObject({ level: 30, msg: 'third' });
  });

  it('keeps every error of an AggregateError', () => {
    const { stream, lines } = sink();
    guardLogger(pino(stream)).error('several', { error: new AggregateError([ours, theirs], 'two failed') });
    expect(JSON.parse(lines[0] ?? '').err.aggregateErrors).toMatchObject([
      { type: 'StateError', code: 'state' },
      { type: 'TypeError', message: theirs.message },
    ]);
  });

  it('sets no mark on the error itself, which the application may use elsewhere', () => {
    const before = Reflect.ownKeys(ours);
    jsonLines((stream) => pino(stream));
    expect(Reflect.ownKeys(ours)).toEqual(before);
  });
});

describe('winston', () => {
  it.each<[string, (stream: Writable) => AnyLogger]>([
    ['the root logger', (stream) => winstonOf(stream)],
    ['a child logger', (stream) => winstonOf(stream).child({ part: 'hub' })],
    [
      'with the formats that rewrite a line',
      (stream) => {
        const { combine, errors, splat, json } = winston.format;
        return winstonOf(stream, combine(errors({ stack: true }), splat(), json()));
      },
    ],
    [
      'its default logger',
      (stream) => {
        winston.configure({
          format: winston.format.json(),
          transports: new winston.transports.Stream({ stream }),
        });
        onTestFinished(() => void winston.configure({ silent: true }));
        return winston as unknown as AnyLogger;
      },
    ],
  ])('(%s) receives the message, and the error with its name, code, stack and cause', (_name, make) => {
    const [first, second, third] = jsonLines(make);
    expect(first).toMatchObject({
      level: 'warn',
      message: 'first: the state is down',
      error: {
        name: 'StateError',
        message: 'the state is down',
        code: 'state',
        retryable: true,
        stack: expect.stringContaining('logger.test.ts'),
        cause: { name: 'Error', message: 'connection refused', code: 'ECONNREFUSED' },
      },
    });
    expect(second).toMatchObject({
      level: 'error',
      message: `second %s: ${theirs.message}`,
      error: {
        name: 'TypeError',
        message: theirs.message,
        code: 'E_PAPER',
        stack: expect.stringContaining('logger.test.ts'),
      },
    });
    expect(third).toMatchObject({ level: 'info', message: 'third' });
  });

  // `cli` prints the message only, as do most formats that applications write.
  it.each(['simple', 'prettyPrint', 'cli'] as const)('loses no error with the format %s', (name) => {
    const { stream, lines } = sink();
    const logger = guardLogger(winstonOf(stream, winston.format[name]()));
    logger.error('broken', { error: theirs });
    expect(lines.join('\n')).toMatch(/broken: 100%d of the paper is used up/);
    if (name !== 'cli') expect(lines.join('\n')).toContain('logger.test.ts');
  });
});

describe('the console', () => {
  it.each<[string, () => AnyLogger | undefined]>([
    ['as the option', () => console],
    ['without the option', () => undefined],
  ])('%s shows the error with its stack and cause', async (_name, loggerOf) => {
    const { stream, lines } = sink();
    const { error, warn } = new Console(stream);
    vi.spyOn(console, 'error').mockImplementation(error);
    vi.spyOn(console, 'warn').mockImplementation(warn);
    onTestFinished(() => void vi.restoreAllMocks());
    await failOnce(loggerOf());
    expect(lines.join('\n')).toMatch(/the state is unavailable/);
    expect(lines.join('\n')).toMatch(
      /StateError: the state is down\n.*logger\.test\.ts[\s\S]*connection refused/,
    );
  });
});

describe('any other logger', () => {
  it('receives an error of an application without the objects behind it', () => {
    const rows = Array.from({ length: 100_000 }, (_, row) => ({ row, customer: 'Maria' }));
    let isRead = false;
    const thrown = Object.assign(
      new Error('no such table', { cause: Object.assign(new Error('42P01'), { rows }) }),
      { rows },
    );
    Object.defineProperty(thrown, 'config', {
      enumerable: true,
      get: () => {
        isRead = true;
        return { headers: { authorization: 'Bearer secret' } };
      },
    });
    const shown: unknown[] = [];
    const keep = (_message: string, fields?: object) => void shown.push(Object(fields).error);
    guardLogger({ debug: keep, info: keep, warn: keep, error: keep }).error('failed', { error: thrown });
    const text = inspect(shown[0], { showHidden: true, depth: null });
    expect(text).toContain('no such table');
    expect(text).toContain('42P01');
    expect(text).toContain('logger.test.ts');
    expect(text).not.toMatch(/Maria|Bearer/);
    expect(isRead).toBe(false);
  });

  it('that takes the message first is called as a method, with the error', () => {
    class Own {
      readonly calls: unknown[][] = [];
      #note = (...call: unknown[]) => void this.calls.push(call);
      debug(...call: unknown[]) {
        this.#note('debug', ...call);
      }
      info(...call: unknown[]) {
        this.#note('info', ...call);
      }
      warn(...call: unknown[]) {
        this.#note('warn', ...call);
      }
      error(...call: unknown[]) {
        this.#note('error', ...call);
      }
    }
    const own = new Own();
    const guarded = guardLogger(own);
    for (const level of ['debug', 'info', 'warn', 'error'] as const) guarded[level](level, { error: theirs });
    guarded.info('without fields');
    expect(own.calls.slice(0, 4)).toEqual(
      ['debug', 'info', 'warn', 'error'].map((level) => [
        level,
        level,
        { error: expect.objectContaining({ name: 'TypeError', message: theirs.message, code: 'E_PAPER' }) },
      ]),
    );
    expect(own.calls[4]?.slice(0, 2)).toEqual(['info', 'without fields']);
  });

  it('with a child method receives the fields first, and JSON keeps the error without a serializer', () => {
    const lines: string[] = [];
    // As bunyan, which serializes errors only if it is configured to.
    const write = (fields: object, message: string) =>
      void lines.push(JSON.stringify({ ...fields, message }));
    const logger = guardLogger({ debug: write, info: write, warn: write, error: write, child: () => {} });
    logger.error('failed', { error: ours, count: 3 });
    logger.warn('second', { error: 'thrown as a string' });
    logger.info('alone');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        message: 'failed',
        count: 3,
        err: expect.objectContaining({ name: 'StateError', message: 'the state is down', code: 'state' }),
      },
      { message: 'second', err: 'thrown as a string' },
      { message: 'alone' },
    ]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('the disk of the log is full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the log server is down'))],
  ])('that %s has no effect on the client, and false is silent', async (_name, fail) => {
    const { mock, hub } = stage({}, { logger: { debug: fail, info: fail, warn: fail, error: fail } });
    mock.createOrder();
    const poller = hub.poller().on('CREATED', () => Promise.reject(ours));
    expect(await poller.runOnce()).toMatchObject({ failures: [{ error: ours }] });
    const spies = (['error', 'warn', 'info', 'debug', 'log'] as const).map((name) => vi.spyOn(console, name));
    onTestFinished(() => void vi.restoreAllMocks());
    await failOnce(false);
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });
});

/** Runs a client whose state fails, which logs a warning with an error. */
async function failOnce(logger: HubClientOptions['logger']): Promise<void> {
  const mock = createMockHub();
  const state = { ...methodsOf(memoryState()), get: () => Promise.reject(ours) };
  const hub = new HubClient({ baseUrl: mock.baseUrl, ...mock.credentials, fetch: mock.fetch, state, logger });
  await hub.auth.getToken().catch(() => {});
  await hub.close();
}

it('the type of the option accepts these loggers, but not one that takes the fields first and has no child method', () => {
  checksOnlyTypes();
  type Own = { [Level in 'debug' | 'info' | 'warn' | 'error']: (fields: object, message: string) => void };
  expectTypeOf<ReturnType<typeof pino> | winston.Logger | Console | false>().toExtend<
    NonNullable<HubClientOptions['logger']>
  >();
  expectTypeOf<Own & { child(bindings: object): Own }>().toExtend<NonNullable<HubClientOptions['logger']>>();
  expectTypeOf<Own>().not.toExtend<NonNullable<HubClientOptions['logger']>>();
});
