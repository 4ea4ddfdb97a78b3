import { ConfigurationError, HubClient, type HubClientOptions } from 'opendelivery-client';
import { afterEach, describe, expect, it } from 'vitest';
import { POLLER_DEFAULTS } from '../src/events/poller-options.js';
import { DEFAULTS } from '../src/options.js';
import { CLIENT, POLLER, type Row, SECRET, STOP } from './fixtures/bad-options.js';

const BASE_URL = 'https://hub.example';

type WithoutDefault = Exclude<keyof HubClientOptions, keyof typeof DEFAULTS>;

/** Does not compile when an option without a default is missing here, or no longer is one. */
const WITHOUT_DEFAULT = Object.keys({
  appInfo: true,
  baseUrl: true,
  clientId: true,
  clientSecret: true,
  apiKey: true,
  tokenUrl: true,
  fetch: true,
  dispatcher: true,
  state: true,
} satisfies Record<WithoutDefault, true>);

/** Names of options with dots; what holds functions is a thing, not a group of options. */
function namesOf(defaults: object, prefix = ''): string[] {
  return Object.entries(defaults).flatMap(([key, value]: [string, unknown]) => {
    const name = prefix + key;
    const isGroup = typeof value === 'object' && value !== null && !Object.values(value).some(isFunction);
    return isGroup ? [name, ...namesOf(value, `${name}.`)] : [name];
  });
}

const isFunction = (value: unknown) => typeof value === 'function';

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

/** Words that tell what to do instead. */
const REMEDY = /\b(?:must (?:not )?(?:be|hold)|use|give|allows?|look for|the options are)\b/;

function expectRefusal(error: unknown, option: string): void {
  expect(error).toBeInstanceOf(ConfigurationError);
  const { message, option: named, code } = error as ConfigurationError;
  expect(named).toBe(option);
  expect(code).toBe('configuration');
  expect(message.startsWith(`${option}: `)).toBe(true);
  expect(message.slice(option.length + 2)).toMatch(REMEDY);
  expect(message).not.toContain(SECRET);
}

const open: HubClient[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

describe('every bad value is refused at construction, by the name of its option and with a remedy', () => {
  it('the table speaks of every option a client has, and of no other', () => {
    expect(Object.keys(CLIENT).sort()).toEqual([...namesOf(DEFAULTS), ...WITHOUT_DEFAULT].sort());
    const { message } = thrownBy(() => client({ nonsense: 1 })) as ConfigurationError;
    const offered = /the options are (.+)$/.exec(message)?.[1]?.split(', ');
    expect(offered?.sort()).toEqual(
      Object.keys(CLIENT)
        .filter((name) => !name.includes('.'))
        .sort(),
    );
  });

  it('the table speaks of every option a poller has, and of no other', () => {
    expect(Object.keys(POLLER).sort()).toEqual(namesOf(POLLER_DEFAULTS).sort());
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

  it('unknown options are refused, also nested, inherited names and those of other places', async () => {
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
    'options that are no object: %s',
    (options) => {
      expectRefusal(
        thrownBy(() => new HubClient(options as unknown as HubClientOptions)),
        'options',
      );
    },
  );

  it('what the tables refuse is refused for its value: the neighbours that are right pass', async () => {
    const right: Record<string, unknown> = {
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
    const hub = client(right);
    open.push(hub);
    const poller = hub.poller({
      intervalMs: 30_000,
      concurrency: 1,
      listenerTimeoutMs: 1,
      maxAttempts: Number.POSITIVE_INFINITY,
      rememberMs: 0,
    });
    for (const timeoutMs of [0, Number.POSITIVE_INFINITY]) await poller.stop({ timeoutMs });
  });
});

it('a state that is still a promise is told to be awaited', () => {
  const state = Promise.resolve({}) as never;
  expect(() => new HubClient({ baseUrl: BASE_URL, state })).toThrow('it is a promise, await it');
});
