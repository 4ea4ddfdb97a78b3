import type { EndpointName } from 'opendelivery-client';
import { createMockHub, type FaultLike, ManualClock, type RandomFaults } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { itemOf, plain } from '../fixtures/plain.js';

describe('random faults', () => {
  /** Types that need no time to end. */
  const types = ['status', 'reset', 'lost', 'truncate', 'malformed', 'duplicate', 'reorder'] as const;

  /** The fault of each request to each endpoint, when the endpoints are called in this order. */
  async function played(random: RandomFaults, order: readonly EndpointName[]) {
    const mock = createMockHub({ clock: new ManualClock() });
    const api = plain(mock);
    mock.faults.random(random);
    const calls: Partial<Record<EndpointName, () => Promise<Response>>> = {
      order: () => api.order('none', 'o'),
      acknowledgment: () => api.acknowledge('none', []),
      merchant: () => api.merchant('none'),
    };
    for (const name of order) await calls[name]?.().catch(() => {});
    const of = (name: EndpointName) =>
      mock.requests.filter(({ endpoint }) => endpoint === name).map(({ fault }) => fault);
    return { order: of('order'), acknowledgment: of('acknowledgment'), merchant: of('merchant') };
  }

  const TURNS: readonly EndpointName[] = Array.from(
    { length: 60 },
    () => ['order', 'acknowledgment', 'merchant'] as const,
  ).flat();

  it('of any number take no memory', async () => {
    const mock = createMockHub({ clock: new ManualClock() });
    mock.faults.next('merchant', 503, 1e9);
    mock.faults.next('merchant', 404);
    for (let count = 0; count < 3; count += 1) expect((await plain(mock).merchant('none')).status).toBe(503);
  });

  it('are the same for the same seed, in whatever order the endpoints are called', async () => {
    const random = { seed: 'monday', rate: 0.3, types };
    const first = await played(random, TURNS);
    expect(first.order.filter(Boolean)).not.toEqual([]);
    expect(await played(random, TURNS)).toEqual(first);
    expect(await played(random, [...TURNS].sort())).toEqual(first);
    expect(await played(random, [...TURNS].sort().reverse())).toEqual(first);
    expect(first.order.map(Boolean)).not.toEqual(first.acknowledgment.map(Boolean));
  });

  it('are the same in every version for the same seed', async () => {
    const { order } = await played({ seed: 7, rate: 0.3, types }, TURNS.slice(0, 60));
    expect(order.map((fault) => fault?.type.slice(0, 3) ?? '-').join(' ')).toMatchInlineSnapshot(
      `"- - - sta - sta mal - mal dup - dup - res - sta - - - sta"`,
    );
  });

  it('are the same again after a reset, or if random is called again, in the sequence of the events too', async () => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const other = mock.addStore({ clientId: '2002', clientSecret: 'secret-of-2002', apiKey: 'key-of-2002' });
    const api = plain(mock);
    const polled = async () => {
      const token = await api.token();
      for (let number = 0; number < 8; number += 1) mock.emit('CREATED', { eventId: `e-${number}` });
      mock.faults.random({ seed: 7, rate: 0.9, types: ['reorder'] });
      const polls: string[][] = [];
      for (let poll = 0; poll < 5; poll += 1) {
        await clock.advance('1m');
        const events = (await (await api.poll(token)).json()) as { eventId: string }[];
        polls.push(events.map(({ eventId }) => eventId));
      }
      await api.acknowledge(token, mock.pending().map(itemOf));
      return polls;
    };
    const first = await polled();
    expect(new Set(first.map(String)).size).toBeGreaterThan(2);
    mock.reset();
    await api.poll(await api.token(other));
    expect(await polled()).toEqual(first);
    expect(await polled()).toEqual(first);
  });

  it('has nothing to reorder in a poll without events', async () => {
    const mock = createMockHub({ emptyPoll: '[]' });
    const api = plain(mock);
    mock.faults.next('polling', 'reorder');
    const response = await api.poll(await api.token());
    expect([response.status, await response.json()]).toEqual([200, []]);
  });

  it.each([2, 3, 8])(
    'of next reorder %i events at every poll, in the same way after a reset',
    async (count) => {
      const clock = new ManualClock();
      const mock = createMockHub({ clock });
      const api = plain(mock);
      const ids = Array.from({ length: count }, (_, number) => `e-${number}`);
      const polled = async () => {
        mock.faults.next('polling', 'reorder', 6);
        for (const eventId of ids) mock.emit('CREATED', { eventId });
        const token = await api.token();
        const polls: string[][] = [];
        for (let poll = 0; poll < 6; poll += 1) {
          await clock.advance('1m');
          const events = (await (await api.poll(token)).json()) as { eventId: string }[];
          polls.push(events.map(({ eventId }) => eventId));
        }
        return polls;
      };
      const first = await polled();
      for (const poll of first) {
        expect(poll).not.toEqual(ids);
        expect(poll.toSorted()).toEqual(ids);
      }
      mock.reset();
      expect(await polled()).toEqual(first);
    },
  );

  it('differ between seeds, also between consecutive numbers', async () => {
    const draws = [];
    for (const seed of [1, 2, 3, 'a', 'b']) draws.push(await played({ seed, rate: 0.3, types }, TURNS));
    for (const [index, draw] of draws.entries()) {
      for (const other of draws.slice(index + 1)) expect(draw.order).not.toEqual(other.order);
    }
  });

  it('follow rate, types and endpoints', async () => {
    const all = await played({ seed: 1, rate: 1, types: ['reset'] }, TURNS);
    expect(all.order.every((fault) => fault?.type === 'reset')).toBe(true);
    const none = await played({ seed: 1, rate: 0 }, TURNS);
    expect(none.order.concat(none.merchant).filter(Boolean)).toEqual([]);
    const some = await played({ seed: 1, rate: 1, types: ['status'], endpoints: ['merchant'] }, TURNS);
    expect(some.order.filter(Boolean)).toEqual([]);
    expect(some.merchant.every((fault) => fault?.type === 'status')).toBe(true);
  });

  it('are of every type, come after the faults of next, and end with clear', () => {
    const { faults } = createMockHub({ clock: new ManualClock() });
    faults.random({ seed: 1, rate: 1 });
    faults.next('polling', 418);
    expect(faults.draw('polling')).toEqual({ type: 'status', status: 418 });
    const kinds = new Set(Array.from({ length: 400 }, () => faults.draw('polling')?.type));
    expect([...kinds].sort()).toEqual([...types, 'hang', 'dribble', 'latency'].sort());
    faults.next('polling', 418);
    faults.clear();
    expect(faults.draw('polling')).toBeUndefined();
  });
});

describe('an invalid fault', () => {
  const { faults } = createMockHub({ clock: new ManualClock() });
  const next = (endpoint: unknown, fault: unknown) => () =>
    faults.next(endpoint as EndpointName, fault as FaultLike);
  const random = (options: object) => () => faults.random({ seed: 1, rate: 1, ...options } as RandomFaults);

  it.each<[string, () => void, RegExp]>([
    ['an endpoint', next('orders', 500), /^endpoint: must be one of .*'orderStatus'.*; it is 'orders'$/],
    ['a fault', next('order', 'explode'), /^fault: must be one of .*'truncate'.*; it is 'explode'$/],
    ['a fault as an object', next('order', { type: 'explode' }), /^fault.type: .*'truncate'.* 'explode'$/],
    ['no fault at all', next('order', null), /^fault: must be .*; it is null$/],
    ['a latency without its ms', next('order', { type: 'latency' }), /^fault.ms: is missing/],
    ['a latency below 0', next('order', { type: 'latency', ms: -1 }), /^fault.ms: must be at least 0/],
    ['a status above 599', next('order', 600), /^fault: must be at most 599; it is 600$/],
    ['a status as a string', next('order', { status: '500' }), /^fault.status: must be a number/],
    [
      'an unknown key of a fault',
      next('order', { status: 500, bdoy: '' }),
      /^fault.bdoy: is not a known key/,
    ],
    ['no options', () => faults.random(undefined as never), /must be an object$/],
    ['an unknown key', random({ tpyes: [] }), /^tpyes: is not a known key; the keys are seed, rate, types, /],
    ['a seed that is NaN', random({ seed: Number.NaN }), /^seed: must be a number or a string; it is NaN$/],
    ['types that are a string', random({ types: 'status' }), /^types: must be an array/],
    ['a type to choose from', random({ types: ['explode'] }), /^types\[0\]: .*'truncate'/],
    ['a rate above 1', random({ rate: 1.1 }), /^rate: must be at most 1; it is 1.1$/],
    ['no rate', random({ rate: undefined }), /^rate: is missing; it must be a number$/],
    ...[
      { 'retry-after': '1\n2' },
      { 'retry after': '1' },
      { '': '1' },
      { 'x-name': 'a\u0001' },
      { x: '\u{1f355}' },
    ].map((headers): [string, () => void, RegExp] => [
      `headers ${JSON.stringify(headers)}`,
      next('order', { status: 429, headers }),
      /^fault.headers: '.*' cannot be sent: /,
    ]),
  ])('throws an error that names the valid values: %s', (_what, work, message) => {
    expect(work).toThrow(message);
  });
});
