import { ConfigurationError, HubClient, type HubClientOptions } from 'opendelivery-client';
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULTS, resolveOptions } from '../src/options/client-options.js';
import { CLIENT, POLLER, type Row, SECRET, STOP } from './fixtures/bad-options.js';

const BASE_URL = 'https://hub.example';

const GROUPS = ['retry', 'rateLimit', 'merchant', 'maxResponseBytes'] as const;

/** The names of all options, those of a group with dots. */
function namesOf(defaults: object): string[] {
  const isGroup = (name: string) => GROUPS.some((group) => group === name);
  return Object.entries(defaults).flatMap(([name, value]: [string, object]) =>
    isGroup(name) ? [name, ...Object.keys(value).map((key) => `${name}.${key}`)] : [name],
  );
}

/** `{retry: {attempts: 5}}` for `retry.attempts` and 5. */
function nested(name: string, value: unknown): Record<string, unknown> {
  const [first = '', ...rest] = name.split('.');
  return { [first]: rest.length > 0 ? nested(rest.join('.'), value) : value };
}

function client(options: Record<string, unknown> = {}): HubClient {
  return new HubClient({ baseUrl: BASE_URL, logger: false, ...options } as unknown as HubClientOptions);
}

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

const rowsOf = (table: Readonly<Record<string, readonly Row[]>>) =>
  Object.entries(table).flatMap(([name, rows]) =>
    rows.map(([what, value, option = name]) => ({ name, what, value, option })),
  );

/** Words that say what to do instead. */
const REMEDY = /\b(?:must (?:not )?(?:be|contain)|use|give|allows?|look for|the options are)\b/;

function expectRefusal(error: unknown, option: string): void {
  expect(error).toBeInstanceOf(ConfigurationError);
  const { message, option: named, code } = error as ConfigurationError;
  expect(named).toBe(option);
  expect(code).toBe('configuration');
  expect(message.startsWith(`${option}: `)).toBe(true);
  expect(message.slice(option.length + 2)).toMatch(REMEDY);
  expect(message).not.toContain(SECRET);
}

/** The options that the refusal of an unknown one names. */
function offeredBy(work: () => unknown): string[] | undefined {
  const { message } = thrownBy(work) as ConfigurationError;
  return /the options are (.+)$/.exec(message)?.[1]?.split(', ').sort();
}

const open: HubClient[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

describe('an invalid option is a ConfigurationError that names the option and the remedy', () => {
  it('the table of invalid values has every option of a client and no other', () => {
    expect(Object.keys(CLIENT).sort()).toEqual(namesOf(DEFAULTS).sort());
    expect(offeredBy(() => client({ nonsense: 1 }))).toEqual(
      Object.keys(CLIENT)
        .filter((name) => !name.includes('.'))
        .sort(),
    );
  });

  it('the table of invalid values has every option of a poller and no other', () => {
    const hub = client();
    open.push(hub);
    expect(offeredBy(() => hub.poller({ nonsense: 1 } as never))).toEqual(Object.keys(POLLER).sort());
  });

  it.each(rowsOf(CLIENT))('HubClient $name: $what', ({ name, value, option }) => {
    expectRefusal(
      thrownBy(() => client(nested(name, value))),
      option,
    );
  });

  it.each(rowsOf(POLLER))('EventPoller $name: $what', ({ name, value, option }) => {
    const hub = client();
    open.push(hub);
    expectRefusal(
      thrownBy(() => hub.poller({ [name]: value })),
      option,
    );
  });

  it.each(rowsOf(STOP))('stop $name: $what', async ({ name, value, option }) => {
    const hub = client();
    open.push(hub);
    const stopped = hub.poller().stop({ [name]: value });
    expectRefusal(await stopped.catch((error: unknown) => error), option);
  });

  it('unknown names, at the root and nested, inherited ones and those of another place', async () => {
    const hub = client();
    open.push(hub);
    for (const name of ['timeout', 'toString', 'constructor', 'intervalMs', 'retry.timeoutMs']) {
      expectRefusal(
        thrownBy(() => client(nested(name, 1))),
        name,
      );
    }
    expectRefusal(
      thrownBy(() => client(JSON.parse('{"__proto__": 1}'))),
      '__proto__',
    );
    expectRefusal(
      thrownBy(() => hub.poller({ interval: 1 } as object)),
      'interval',
    );
    const stopped = hub.poller().stop({ timeout: 1 } as object);
    expectRefusal(await stopped.catch((error: unknown) => error), 'timeout');
  });

  it.each([undefined, null, 'https://hub.example', 5, [], () => {}])(
    'options that are not an object: %s',
    (options) => {
      expectRefusal(
        thrownBy(() => new HubClient(options as unknown as HubClientOptions)),
        'options',
      );
    },
  );

  it('a state that is a promise: the message says to await it', () => {
    const state = Promise.resolve({}) as never;
    expect(() => new HubClient({ baseUrl: BASE_URL, state })).toThrow('it is a promise, await it');
  });

  it('a clientId that is a number: the message says that it must be a string', () => {
    expect(() => client({ clientId: 1234 })).toThrow(
      "clientId: must be the client id issued by the operator, a string such as '1234'",
    );
  });
});

describe('valid options', () => {
  it('are accepted up to the bounds of the invalid ones', async () => {
    const valid: Record<string, unknown> = {
      timeoutMs: 0.5 + 0.5,
      retry: { attempts: 1, minDelayMs: 1, maxDelayMs: 1, deadlineMs: 0 },
      rateLimit: { mode: 'throw', maxWaitMs: 0 },
      merchant: { maxStaleMs: 0, validation: 'strict' },
      maxResponseBytes: { merchant: 1, other: 1 },
      headers: { 'X-Partner': 'a b' },
      basePath: '',
      clientId: undefined,
      apiKey: () => SECRET,
    };
    const hub = client(valid);
    open.push(hub);
    const poller = hub.poller({
      intervalMs: 30_000,
      concurrency: 1,
      listenerTimeoutMs: 1,
      maxAttempts: Number.POSITIVE_INFINITY,
      rememberMs: 0,
    });
    for (const timeoutMs of [0, Number.POSITIVE_INFINITY]) {
      expect(await poller.stop({ timeoutMs })).toMatchObject({ timedOut: false });
    }
  });

  it.each(['http://localhost:8080', 'http://127.0.0.1', 'http://127.9.8.7:1', 'http://[::1]:8080'])(
    'may be plain http to this machine: %s',
    (baseUrl) => {
      expect(resolveOptions({ baseUrl, tokenUrl: baseUrl })).toMatchObject({ baseUrl, tokenUrl: baseUrl });
    },
  );

  it('may be plain http to another host only with allowInsecureHttp', () => {
    const baseUrl = 'http://hub.internal';
    expect(resolveOptions({ baseUrl, tokenUrl: baseUrl, allowInsecureHttp: true }).baseUrl).toBe(baseUrl);
    expect(() => resolveOptions({ baseUrl, allowInsecureHttp: false })).toThrow(/allowInsecureHttp: true/);
    const tokenUrl = `${baseUrl}/token`;
    expect(() => resolveOptions({ baseUrl: BASE_URL, tokenUrl })).toThrow(/^tokenUrl: must be https/);
  });
});

describe('defaults', () => {
  it.each(GROUPS)('%s: a key that is not given keeps its default', (group) => {
    for (const [key, value] of Object.entries(DEFAULTS[group])) {
      const other = typeof value === 'number' ? value + 1 : key === 'mode' ? 'throw' : 'strict';
      const resolved = resolveOptions({ baseUrl: BASE_URL, [group]: { [key]: other } });
      expect(resolved[group]).toEqual({ ...DEFAULTS[group], [key]: other });
    }
    expect(resolveOptions({ baseUrl: BASE_URL, [group]: {} })[group]).toEqual(DEFAULTS[group]);
  });

  it('undefined counts as not given, at the root and nested', () => {
    const given = { baseUrl: BASE_URL, timeoutMs: undefined, retry: { attempts: undefined } };
    const { timeoutMs, retry } = resolveOptions(given as unknown as HubClientOptions);
    expect({ timeoutMs, retry }).toEqual({ timeoutMs: DEFAULTS.timeoutMs, retry: DEFAULTS.retry });
  });

  it('are those that the documentation names', () => {
    expect(DEFAULTS).toMatchObject({
      allowInsecureHttp: false,
      basePath: '/opendelivery',
      headers: {},
      timeoutMs: 30_000,
      retry: { attempts: 4, minDelayMs: 1000, maxDelayMs: 60_000, deadlineMs: 300_000 },
      rateLimit: { mode: 'wait', maxWaitMs: 900_000 },
      merchant: { maxStaleMs: 86_400_000, validation: 'lenient' },
      maxResponseBytes: { merchant: 67_108_864, other: 8_388_608 },
    });
  });

  it('are frozen, so that one client cannot change them for another', () => {
    expect(Object.isFrozen(DEFAULTS)).toBe(true);
    for (const group of [...GROUPS, 'headers', 'clock'] as const) {
      expect(Object.isFrozen(DEFAULTS[group]), group).toBe(true);
    }
  });
});
