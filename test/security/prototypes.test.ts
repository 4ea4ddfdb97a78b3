import { isHubError, type Mark, memoryState, type State } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { clientOf, merchantDocument, rawServer, sends } from '../http/support.js';
import { runs } from '../runs.js';
import { methodsOf } from '../state/methods.js';
import { afterAdvance } from '../support.js';

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'toJSON',
  'valueOf',
];

/** A JSON object with all these keys; each would pollute an object that it is copied into carelessly. */
const poison = (inner: object = {}) => {
  const entries = NAMES.map(
    (name) => `${JSON.stringify(name)}:{"polluted":true,"prototype":{"polluted":true}}`,
  );
  const own = JSON.stringify(inner).slice(1, -1);
  return `{${[...entries, ...(own ? [own] : [])].join(',')}}`;
};
const nested = (inner: object) => `{${NAMES.map((name) => `"${name}":${JSON.stringify(inner)}`).join(',')}}`;

const document = await merchantDocument();
const TOKEN = { access_token: 'a-token', expires_in: 604_800 };
const EVENT = { eventId: 'e', orderId: 'o', eventType: 'CREATED' };

/** A hub with one event. */
const goodHub = () =>
  rawServer((response, { url }) => {
    const body = url.endsWith('/token') ? TOKEN : url.endsWith('/merchant') ? document : [EVENT];
    return sends(200, JSON.stringify(body))(response);
  });

const builtIns = () =>
  [Object, Array, Function, String, Number, Promise, Map, Set, Error].map((each) =>
    Reflect.ownKeys(each.prototype).map(String).join(),
  );
const before = builtIns();

afterEach(() => {
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
  expect(Reflect.get(() => {}, 'polluted')).toBeUndefined();
  expect(builtIns()).toEqual(before);
});

describe('a hub that sends the names of prototypes', () => {
  const BODIES: ReadonlyArray<[what: string, body: (good: object) => string]> = [
    ['beside the good keys', (good) => poison(good)],
    ['in place of every value', () => nested({ polluted: true })],
    [
      'as values',
      (good) => JSON.stringify({ ...good, status: '__proto__', type: 'constructor', id: '__proto__' }),
    ],
    ['around the good document', (good) => nested(good)],
    ['and nothing else', () => poison()],
  ];

  it.each(BODIES)(
    '%s pollutes nothing, and every call resolves or rejects with a typed error',
    async (_what, body) => {
      let isGranted = false;
      const server = await rawServer((response, { url }) => {
        const good = url.endsWith('/oauth/token')
          ? TOKEN
          : url.endsWith('/merchant')
            ? document
            : { id: 'o' };
        if (url.endsWith('/oauth/token') && !isGranted) return sends(200, JSON.stringify(TOKEN))(response);
        if (url.endsWith('/events:polling')) return sends(200, `[${body(EVENT)}]`)(response);
        return sends(200, body(good))(response);
      });
      const { hub } = clientOf(server.url);
      await hub.auth.getToken();
      isGranted = true;
      const calls = [
        () => hub.merchant.get({ fresh: true }),
        () => hub.merchant.get({ fresh: true }),
        () => hub.events.poll(),
        () => hub.orders.get('__proto__'),
        () => hub.orders.updateStatus('constructor', 'toString'),
        () => hub.auth.renew(),
      ];
      for (const call of calls) {
        const error = await call().then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error === undefined || isHubError(error)).toBe(true);
      }
    },
  );

  it('as ids: its events are handled and acknowledged like any other', async () => {
    const acknowledged: unknown[] = [];
    const events = NAMES.flatMap((eventId) =>
      NAMES.map((orderId) => ({ eventId: `${eventId}`, orderId, eventType: eventId })),
    );
    const server = await rawServer((response, { url, body }) => {
      if (url.endsWith('/oauth/token')) return sends(200, JSON.stringify(TOKEN))(response);
      if (url.endsWith('/acknowledgment'))
        acknowledged.push(...(JSON.parse(body) as { id: string }[]).map(({ id }) => id));
      return sends(url.endsWith('polling') ? 200 : 202, JSON.stringify(events))(response);
    });
    const { hub } = clientOf(server.url);
    const handled: string[] = [];
    const poller = hub.poller().on('event', (event) => void handled.push(event.eventId));
    const report = await poller.runOnce();
    expect(report).toMatchObject({
      // Each id is shared by several different events: all of them are handled before it is acknowledged.
      handled: NAMES.length ** 2,
      acknowledged: NAMES.length,
      issues: expect.any(Array),
    });
    const repeatedNames = NAMES.flatMap((name) => NAMES.map(() => name)).sort();
    expect([...handled].sort()).toEqual(repeatedNames);
    expect([...acknowledged].sort()).toEqual(repeatedNames);
  });
});

describe('a document that is nested too deep for recursion', () => {
  const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  it('is read, cached and compared', async () => {
    let depth = runs(200_000);
    const body = () =>
      JSON.stringify({ ...document, extra: 0 }).replace('"extra":0', `"extra":${deep(depth)}`);
    const server = await rawServer((response) => sends(200, body())(response));
    const { hub } = clientOf(server.url);
    let updates = 0;
    hub.merchant.on('updated', () => void (updates += 1));
    const { merchant } = await hub.merchant.get();
    // First an equal document, then a different one.
    const same = await hub.merchant.get({ fresh: true });
    expect(same.merchant).toBe(merchant);
    depth += 1;
    await hub.merchant.get({ fresh: true });
    expect(updates).toBe(1);
  });

  it('does not affect the events beside it', async () => {
    const list = `[{"eventId":"a","orderId":"o","eventType":"X","metadata":{"x":${deep(100_000)}}},${deep(100_000)},${JSON.stringify(EVENT)}]`;
    const server = await rawServer((response, { url }) =>
      sends(200, url.endsWith('/token') ? JSON.stringify(TOKEN) : list)(response),
    );
    const { hub } = clientOf(server.url);
    const { events } = await hub.events.poll();
    expect(events.map(({ eventId }) => eventId)).toEqual(['a', 'e']);
  });
});

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;
const trap = (): never => {
  throw new Error('a getter that throws');
};
const trapped = new Proxy({}, { get: trap, has: trap, ownKeys: trap, getOwnPropertyDescriptor: trap });
const TOKEN_RECORD = {
  value: 'a-token',
  obtainedAt: Date.parse('2026-01-05T12:00:00Z'),
  lifetimeMs: 604_800_000,
};

/** What a broken state, or one that another program uses, may return in place of a string. */
const STORED: ReadonlyArray<[what: string, value: unknown]> = [
  ['nothing', null],
  ['an object', { value: 'x' }],
  ['a cyclic object', cyclic],
  ['an object whose then throws', Object.defineProperty({}, 'then', { get: trap })],
  ['a promise that rejects', () => Promise.reject(new Error('gone'))],
  ['an empty string', ''],
  ['an array as JSON', '[]'],
  ['a document with keys of prototypes', `1767614400000\n${poison()}`],
  ['a token with a line break', JSON.stringify({ ...TOKEN_RECORD, value: 'a\r\nb' })],
  ['a token with a negative lifetime', JSON.stringify({ ...TOKEN_RECORD, lifetimeMs: -1 })],
  ['a merchant copy without an instant', `x\n${JSON.stringify(document)}`],
  ['a truncated merchant copy', `1767614400000\n${JSON.stringify(document).slice(0, 100)}`],
  ['a long string', 'x'.repeat(1_000_000)],
];

describe('a state that returns', () => {
  it.each(STORED)('%s counts as having no value', async (_what, value) => {
    const server = await goodHub();
    const state: State = {
      ...methodsOf(memoryState()),
      get: () => (typeof value === 'function' ? value() : value) as string,
    };
    const clock = new ManualClock('2026-01-05T12:00:00Z');
    const { hub } = clientOf(server.url, { state, clock });
    expect((await hub.merchant.get()).merchant).toEqual(document);
    expect((await hub.auth.getToken()).value).toBe('a-token');
    expect(
      await hub
        .poller()
        .on('event', () => {})
        .runOnce(),
    ).toMatchObject({ handled: 1, acknowledged: 1 });
    expect(server.requests.map(({ url }) => url.split('/').at(-1))).toEqual([
      'merchant',
      'token',
      'events:polling',
      'acknowledgment',
    ]);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a string', 'e'],
    ['an object', {}],
    ['a cyclic object', cyclic],
    ['a getter that throws', trapped],
    ['ids that were not requested', ['x', 'y', '__proto__']],
    ['values that are not strings', [1, null, {}, cyclic]],
  ])('%s from recall() never causes the loss of an event', async (_what, value) => {
    const server = await goodHub();
    const state: State = { ...methodsOf(memoryState()), recall: () => value as unknown as Mark[] };
    const { hub } = clientOf(server.url, { state });
    let handled = 0;
    const report = await hub
      .poller()
      .on('event', () => void (handled += 1))
      .runOnce()
      .catch((error: unknown) => error);
    const acknowledgments = server.requests.filter(({ url }) => url.endsWith('/acknowledgment')).length;
    // The event is either handled and acknowledged, or neither.
    expect(acknowledgments).toBe(handled);
    if (handled === 0) expect(report).toMatchObject({ code: 'state' });
  });

  it.each([
    ['a promise that never settles', () => new Promise<never>(() => {})],
    ['an error', trap],
    ['a rejection', () => Promise.reject(new Error('gone'))],
  ])(
    '%s does not keep a call from being aborted, nor the client from being closed',
    async (_what, method) => {
      const server = await goodHub();
      const working = methodsOf(memoryState());
      const names = Object.keys(working) as (keyof State)[];
      const cases = [...names.map((name) => [name]), names].flatMap((broken) => [
        { broken, hasToken: false },
        { broken, hasToken: true },
      ]);
      for (const { broken, hasToken } of cases) {
        let isBroken = false;
        const methods = broken.map((name) => [
          name,
          (...parameters: never[]) =>
            isBroken ? method() : Reflect.apply(working[name], working, parameters),
        ]);
        const state = { ...working, ...Object.fromEntries(methods) } as State;
        const { hub, clock } = clientOf(server.url, { state });
        if (hasToken) await hub.auth.getToken();
        isBroken = true;
        // The clock does not wait for the hanging state.
        for (let call = 0; call < 10; call += 1) clock.park();
        const controller = new AbortController();
        const { signal } = controller;
        const reason = new Error('enough');
        const poller = hub.poller().on('event', () => {});
        const settled = Promise.all(
          [
            hub.auth.getToken({ signal }),
            hub.auth.renew({ signal }),
            hub.merchant.get({ signal }),
            hub.events.poll({ signal }),
            hub.orders.get('1', { signal }),
            poller.start({ signal }),
          ].map((call) =>
            call.then(
              () => 'done',
              (error: unknown) => error,
            ),
          ),
        );
        for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        controller.abort(reason);
        for (const outcome of await settled) {
          expect(outcome === 'done' || outcome === reason || isHubError(outcome), String(outcome)).toBe(true);
        }
        await afterAdvance(clock, '1m', hub.close());
      }
    },
  );
});
