import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { type State, systemClock } from 'opendelivery-client';
import { type NodeRedisClient, redisState } from 'opendelivery-client/redis';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { soon } from '../../soon.js';
import { clientOf } from '../../support.js';
import { idOf, recalled } from '../calls.js';
import { testContract } from '../contract.js';
import { expectSharedStore } from '../two-clients.js';
import { describeWithRedis } from './server.js';
import { redisForSuite, redisStateAt } from './support.js';

const request = { limit: 2, holdMs: 90_000 };

describeWithRedis('redisState', (startRedis) => {
  const clients = redisForSuite(startRedis);

  testContract('redisState', (clock) => redisStateAt(clients, clock));

  /** Calls every method, so that every script has run and every kind of key exists. */
  async function useAll(state: State): Promise<void> {
    const clock = systemClock;
    await state.set('token:s', 'value', { forMs: 60_000 }, clock);
    expect(await state.get('token:s', clock)).toBe('value');
    await state.set('gone:s', 'value', { forMs: 60_000 }, clock);
    await state.set('gone:s', undefined, { forMs: 0, ifEquals: 'value' }, clock);
    expect(await state.get('gone:s', clock)).toBeUndefined();
    const slot = await state.reserve('quota:s:order', request, clock);
    expect(slot).toMatchObject({ granted: true, remaining: 1 });
    await state.settle('quota:s:order', { id: idOf(slot), freeInMs: 0 }, clock);
    await state.settle('quota:s:order', { id: 'late', freeInMs: 60_000 }, clock);
    expect(await state.reserve('quota:s:order', request, clock)).toMatchObject({
      granted: true,
      remaining: 0,
    });
    expect(await state.reserve('quota:s:order', request, clock)).toMatchObject({
      granted: false,
      reason: 'quota',
    });
    await state.settle('quota:s:polling', { shutMs: 60_000 }, clock);
    expect(await state.reserve('quota:s:polling', request, clock)).toMatchObject({ reason: 'shut' });
    await state.mark('handled:s', ['a', 'b'], { handled: true, forMs: 60_000 }, clock);
    expect(await recalled(state, 'handled:s', ['b', 'c', 'a'], clock)).toEqual(['b', 'a']);
  }

  it.each(['ioredis', 'nodeRedis'] as const)(
    'works with %s, also when Redis has forgotten the scripts',
    async (name) => {
      const state = redisState(clients[name]);
      await useAll(state);
      await clients.ioredis.flushall();
      await clients.ioredis.script('FLUSH');
      await useAll(state);
    },
  );

  it('gives every key an expiry, a name without a secret, and the given prefix', async () => {
    await useAll(redisState(clients.ioredis));
    await useAll(redisState(clients.ioredis, { prefix: 'app:{hub}:' }));
    const keys = (await clients.ioredis.keys('*')).sort();
    const names = ['handled:s', 'quota:s:order', 'quota:s:polling', 'token:s'];
    expect(keys).toEqual([
      ...names.map((name) => `app:{hub}:${name}`),
      ...names.map((name) => `opendelivery:${name}`),
    ]);
    for (const key of keys) {
      const expiresInMs = await clients.ioredis.pttl(key);
      expect(expiresInMs).toBeGreaterThan(60_000);
      expect(expiresInMs).toBeLessThanOrEqual(150_000);
    }
  });

  it('returns a value that UTF-8 cannot carry', async () => {
    const state = redisState(clients.ioredis);
    for (const value of ['\ud800', 'a\udfffb', '\uffffd800']) {
      await state.set('v', value, { forMs: 60_000 }, systemClock);
      expect(await state.get('v', systemClock)).toBe(value);
      await state.set('v', undefined, { forMs: 0, ifEquals: value }, systemClock);
      expect(await state.get('v', systemClock)).toBeUndefined();
    }
  });

  it('uses the clock of Redis, not the clocks of the callers', async () => {
    const state = redisState(clients.ioredis);
    const ahead = new ManualClock('2030-01-01T00:00:00Z');
    const behind = new ManualClock('2001-01-01T00:00:00Z');
    await state.reserve('q', request, behind);
    await state.reserve('q', request, ahead);
    await state.mark('h', ['a'], { handled: true, forMs: 60_000 }, behind);
    await state.set('v', 'value', { forMs: 60_000 }, behind);
    await ahead.advance('30d');
    expect(await state.reserve('q', request, ahead)).toMatchObject({ granted: false, reason: 'quota' });
    expect(await recalled(state, 'h', ['a'], ahead)).toEqual(['a']);
    expect(await state.get('v', ahead)).toBe('value');
  });

  it('keeps the fence of a released lease for more than a day, and gives a greater one if all data is lost', async () => {
    const clock = new ManualClock();
    const state = redisStateAt(clients, clock);
    const first = await state.lease('q', { holder: 'a', leaseMs: 45_000 }, clock);
    await state.lease('q', { holder: 'a', leaseMs: 0 }, clock);
    const [key = ''] = await clients.ioredis.keys('*lease*');
    expect(await clients.ioredis.pttl(key)).toBeGreaterThan(86_400_000);
    clock.step(-600_000);
    const second = await state.lease('q', { holder: 'b', leaseMs: 45_000 }, clock);
    expect(first.granted && second.granted && second.fence > first.fence).toBe(true);
    clock.step(600_000);
    await clients.ioredis.flushall();
    await clock.advance(2);
    const third = await state.lease('q', { holder: 'c', leaseMs: 45_000 }, clock);
    expect(second.granted && third.granted && third.fence > second.fence).toBe(true);
  });

  it.each([0, 1, 3_600_000])('keeps nothing for longer if the clock is set back by %s ms', async (byMs) => {
    const clock = new ManualClock();
    const state = redisStateAt(clients, clock);
    const recall = (...ids: string[]) =>
      state.recall('h', ids, { handledMs: 0, attemptedMs: 0, count: { ids: [], below: 0 } }, clock);
    const [handled, attempted, none] = [[true, 0] as const, [false, 1] as const, [false, 0] as const].map(
      ([isHandled, attempts]) => ({ handled: isHandled, attempts }),
    );
    await state.set('v', 'value', { forMs: 60_000 }, clock);
    await state.mark('h', ['a'], { handled: true, forMs: 60_000 }, clock);
    await clock.advance(10_000);
    await state.mark('h', ['b'], { attempts: 1, forMs: 5_000_000 }, clock);
    clock.step(-byMs);
    expect(await state.get('v', clock)).toBe('value');
    expect(await recall('a', 'b', 'c')).toEqual([handled, attempted, none]);
    await state.mark('h', ['c'], { handled: true, forMs: 50_000 }, clock);
    await clock.advance(49_999);
    expect(await recall('a', 'b', 'c')).toEqual([handled, attempted, handled]);
    await clock.advance(1);
    expect(await recall('a', 'b', 'c')).toEqual([none, attempted, none]);
    await clock.advance(10_000);
    expect(await state.get('v', clock)).toBeUndefined();
    await clock.advance(4_940_000 - 1);
    expect(await recall('b')).toEqual([attempted]);
    await clock.advance(1);
    expect(await recall('b')).toEqual([none]);
  });

  it('keeps a longer `Retry-After` that a process of 0.2.0 has written', async () => {
    const clock = new ManualClock();
    const state = redisStateAt(clients, clock);
    await state.settle('quota:s:menu', { shutMs: 100_000 }, clock);
    const [key = ''] = await clients.ioredis.keys('*quota:s:menu*');
    // Its name has no length.
    await clients.ioredis.zadd(key, clock.now() + 400_000, 'shut');
    await clients.ioredis.pexpire(key, 500_000);
    // The clock is set back: only the ends whose length is known can be corrected.
    clock.step(-1000);
    for (const waitMs of [401_000, 300_000]) {
      expect(await state.reserve('quota:s:menu', request, clock)).toMatchObject({ reason: 'shut', waitMs });
      await clock.advance(101_000);
    }
  });

  it('frees a slot whose reply was lost, and takes one slot for a command that is sent twice', async () => {
    const { ioredis } = clients;
    let isLost = true;
    const state = redisState(
      {
        evalsha: async (...words: Parameters<typeof ioredis.evalsha>) => {
          const isReservation = words.length > 5;
          // As ioredis does when its connection was closed before the reply.
          if (isReservation) await ioredis.evalsha(...words);
          const result = await ioredis.evalsha(...words);
          if (isReservation && isLost) throw new Error('Connection is closed.');
          return result;
        },
        eval: (...words: Parameters<typeof ioredis.eval>) => ioredis.eval(...words),
      } as never,
      { prefix: 'lost:' },
    );
    const reserve = () => state.reserve('quota:s:token', request, systemClock);
    isLost = false;
    await reserve();
    isLost = true;
    await expect(reserve()).rejects.toMatchObject({ code: 'state' });
    isLost = false;
    await soon(async () => expect(await ioredis.zcard('lost:quota:s:token')).toBe(1));
    expect(await reserve()).toMatchObject({ granted: true, remaining: 0 });
  });

  it('makes virtual time wait for a connected Redis, however slow', async () => {
    const clock = new ManualClock();
    const slowly = async () => {
      for (let turns = 0; turns < 50; turns += 1) await new Promise(setImmediate);
      return null;
    };
    const doneAt = async (status: string) => {
      const state = redisState({ evalsha: slowly, eval: slowly, status });
      const done = Promise.resolve(state.get('k', clock)).then(() => clock.monotonic());
      await clock.advance('1h');
      return done;
    };
    expect(await doneAt('ready')).toBe(0);
    expect(await doneAt('reconnecting')).toBe(7_200_000);
  });

  it.each([null, 'OK', [], [1], [0, 'x', 'y']])('rejects the reply %j to a reservation', async (result) => {
    const reply = () => Promise.resolve(result);
    const state = redisState({ evalsha: reply, eval: reply });
    await expect(state.reserve('q', request, systemClock)).rejects.toMatchObject({ code: 'state' });
  });

  it('names an error that has no message', async () => {
    const failing = () => Promise.reject(Object.assign(new Error(), { name: 'TimeoutError' }));
    const state = redisState({ evalsha: failing, eval: failing });
    await expect(state.get('k', systemClock)).rejects.toThrow('redisState: TimeoutError');
  });

  it('is one object per client and prefix', () => {
    const state = redisState(clients.ioredis);
    expect(redisState(clients.ioredis, { prefix: 'opendelivery:' })).toBe(state);
    expect(redisState(clients.ioredis, { prefix: 'other:' })).not.toBe(state);
    expect(redisState(clients.nodeRedis)).not.toBe(state);
  });

  it.each([
    ['undefined', undefined],
    ['a URL', 'redis://localhost'],
    ['an object', {}],
    ['a client with callbacks', { evalsha() {}, eval() {}, internal_send_command() {} }],
  ])('refuses %s as client, and says what to pass', (_what, client) => {
    expect(() => redisState(client as unknown as NodeRedisClient)).toThrow(
      expect.objectContaining({
        code: 'configuration',
        message: expect.stringMatching(/^client: must be a client of ioredis/),
      }),
    );
  });

  it.each([{ prefix: '' }, { prefix: 7 }, { prefix: 'a\nb' }, { perfix: 'a:' }])(
    'refuses the options %j',
    (options) => {
      expect(() => redisState(clients.ioredis, options as object)).toThrow(/prefix|perfix/);
    },
  );

  describe('a key that something else has written', () => {
    const PLANTED: readonly [string, (key: string) => Promise<unknown>][] = [
      ['a string', (key) => clients.ioredis.set(key, '{"__proto__":{"polluted":true}}')],
      ['a list', (key) => clients.ioredis.rpush(key, 'a', 'b')],
      ['a set', (key) => clients.ioredis.sadd(key, 'a')],
      ['a stream', (key) => clients.ioredis.xadd(key, '*', 'a', 'b')],
      [
        'a sorted set that never expires',
        (key) => clients.ioredis.zadd(key, 9e15, 'a', 9e15, 'shut', 9e15, 'slot:1'),
      ],
      ['a hash', (key) => clients.ioredis.hset(key, { __proto__: 'x', value: 'a', until: 'never' })],
    ];

    it.each(PLANTED)('(%s) counts as absent, and is overwritten', async (kind, plant) => {
      const state = redisState(clients.nodeRedis);
      const plantAll = async () => {
        await clients.ioredis.flushall();
        for (const key of ['v', 'q', 'h']) await plant(`opendelivery:${key}`);
      };
      await plantAll();
      expect(await state.get('v', systemClock)).toBeUndefined();
      await state.set('v', undefined, { forMs: 0, ifEquals: 'a' }, systemClock);
      await state.set('v', 'value', { forMs: 60_000 }, systemClock);
      expect(await state.get('v', systemClock)).toBe('value');
      expect(await state.reserve('q', request, systemClock)).toMatchObject({ granted: true, remaining: 1 });
      if (!kind.startsWith('a sorted set'))
        expect(await recalled(state, 'h', ['a'], systemClock)).toEqual([]);
      await state.mark('h', ['b'], { handled: true, forMs: 60_000 }, systemClock);
      expect(await recalled(state, 'h', ['a', 'b'], systemClock)).toEqual(['b']);
      await plantAll();
      await state.settle('q', { id: 'late', freeInMs: 60_000 }, systemClock);
      expect(await state.reserve('q', request, systemClock)).toMatchObject({ granted: true, remaining: 0 });
      await plantAll();
      await state.settle('q', { shutMs: 60_000 }, systemClock);
      expect(await state.reserve('q', request, systemClock)).toMatchObject({
        granted: false,
        reason: 'shut',
      });
    });

    it.each([
      ['another format', { format: '2' }],
      ['another key', { key: 'other' }],
      ['no key', { key: '' }],
      ['an expiry that is not a number', { until: 'soon' }],
      ['an expiry in the past', { until: '1' }],
    ])('(a value of ours with %s) counts as absent', async (_what, fields) => {
      const state = redisState(clients.ioredis);
      await state.set('v', 'value', { forMs: 60_000 }, systemClock);
      await clients.ioredis.hset('opendelivery:v', fields);
      expect(await state.get('v', systemClock)).toBeUndefined();
    });
  });

  it('shows no secret in its errors, although the clients attach the whole command', async () => {
    const secret = 'token-that-nobody-may-see';
    const { ioredis, nodeRedis } = clients;
    const readOnly = async (client: typeof ioredis | typeof nodeRedis) => {
      const set = Promise.resolve(redisState(client).set('token:s', secret, { forMs: 60_000 }, systemClock));
      const failure = await set.catch((error: unknown) => error);
      expect(failure).toMatchObject({
        name: 'StateError',
        code: 'state',
        message: expect.stringMatching(/^redisState: /),
      });
      for (const shown of [inspect(failure, { depth: 9 }), JSON.stringify(failure)]) {
        expect(shown).not.toContain(secret);
      }
    };
    await ioredis.config('SET', 'maxmemory', '1');
    try {
      await readOnly(ioredis);
      await readOnly(nodeRedis);
    } finally {
      await ioredis.config('SET', 'maxmemory', '0');
    }
  });

  it('lets two clients of one store share the quota and handle each event once', async () => {
    await expectSharedStore((clock) => redisStateAt(clients, clock, 'one:'));
  });

  it('gets keys of a kind and a hash, never with a credential', async () => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const { hub } = clientOf(mock, { clock, state: redisStateAt(clients, clock) });
    mock.createOrder();
    const poller = hub.poller().on('CREATED', () => {
      throw new Error('fails each time');
    });
    poller.on('error', () => {});
    await poller.start();
    await hub.merchant.get();
    await poller.stop();
    const keys = await clients.ioredis.keys('*');
    expect(keys.length).toBeGreaterThan(4);
    for (const key of keys)
      expect(key).toMatch(
        /^opendelivery:(?:lease:\{opendelivery:)?(?:token|quota|events|merchant):[0-9a-f]{32}(?::\w+)?\}?$/,
      );
    const digest = (text: string) => createHash('sha256').update(text).digest('hex');
    for (const secret of Object.values(mock.credentials)) {
      expect(keys.join()).not.toContain(secret);
      expect(keys.join()).not.toContain(digest(secret).slice(0, 16));
    }
  });
});
