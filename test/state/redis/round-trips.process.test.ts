import { type State, systemClock } from 'opendelivery-client';
import { type IoredisClient, redisState } from 'opendelivery-client/redis';
import { expect, it } from 'vitest';
import { idOf, NOT_RENEWED } from '../calls.js';
import { describeWithRedis } from './server.js';
import { redisForSuite } from './support.js';

const clock = systemClock;
const lifetimes = { handledMs: 60_000, attemptedMs: 60_000 };
const poll = { limit: 2, holdMs: 95_000, lease: { holder: 'a', leaseMs: 45_000 } };
const idsFrom = (start: number, count: number) =>
  Array.from({ length: count }, (_, index) => `event-${start + index}`);
const all = (ids: readonly string[]) => ({ ...lifetimes, count: { ids, below: Number.POSITIVE_INFINITY } });

describeWithRedis('round trips of redisState', (startRedis) => {
  const clients = redisForSuite(startRedis);

  /** A state, and the commands that it has sent since the last call of `sent`. */
  function counted() {
    let commands: string[] = [];
    let unanswered = 0;
    let most = 0;
    const counting = async (name: string, reply: Promise<unknown>) => {
      commands.push(name);
      unanswered += 1;
      most = Math.max(most, unanswered);
      return reply.finally(() => {
        unanswered -= 1;
      });
    };
    const { ioredis } = clients;
    const client: IoredisClient = {
      evalsha: (...words) => counting('evalsha', ioredis.evalsha(...words)),
      eval: (...words) => counting('eval', ioredis.eval(...words)),
    };
    const state = redisState(client);
    const sent = () => {
      const taken = { commands, atOnce: most };
      commands = [];
      most = 0;
      return taken;
    };
    return { state, sent };
  }

  const CALLS: readonly [name: string, call: (state: State) => unknown][] = [
    ['get', (state) => state.get('v', clock)],
    ['set', (state) => state.set('v', 'value', { forMs: 1000 }, clock)],
    ['remove', (state) => state.set('v', undefined, { forMs: 0, ifEquals: 'value' }, clock)],
    ['reserve', (state) => state.reserve('q', { limit: 2, holdMs: 1000 }, clock)],
    ['reserve with a lease', (state) => state.reserve('q', poll, clock)],
    ['settle', (state) => state.settle('q', { id: 'id', freeInMs: 1000 }, clock)],
    ['settle that shuts', (state) => state.settle('q', { shutMs: 1000 }, clock)],
    ['lease', (state) => state.lease('q', poll.lease, clock)],
    ['lease that releases', (state) => state.lease('q', { holder: 'a', leaseMs: 0 }, clock)],
    [
      'mark of 1,000 ids',
      (state) => state.mark('h', idsFrom(0, 1000), { handled: true, forMs: 60_000 }, clock),
    ],
    ['recall of 1,000 ids', (state) => state.recall('h', idsFrom(0, 1000), NOT_RENEWED, clock)],
    [
      'recall and count of 1,000 ids',
      (state) => state.recall('h', idsFrom(0, 1000), all(idsFrom(0, 1000)), clock),
    ],
    [
      'mark of 1,000 attempts',
      (state) => state.mark('h', idsFrom(0, 1000), { attempts: 1, forMs: 60_000 }, clock),
    ],
  ];

  it.each(CALLS)(
    '%s is one command, and one more if Redis has forgotten the scripts',
    async (_name, call) => {
      const { state, sent } = counted();
      await clients.ioredis.script('FLUSH');
      await call(state);
      expect(sent().commands).toEqual(['evalsha', 'eval']);
      await call(state);
      expect(sent().commands).toEqual(['evalsha']);
    },
  );

  it('more than a thousand ids are several commands, sent at once', async () => {
    const { state, sent } = counted();
    const ids = idsFrom(0, 2500);
    await state.recall('h', [], all([]), clock);
    expect(sent().commands).toEqual([]);
    await state.recall('h', ['a'], all(['a']), clock);
    sent();
    expect(await state.recall('h', ids, all(ids), clock)).toEqual(
      ids.map(() => ({ handled: false, attempts: 0 })),
    );
    expect(sent()).toEqual({ commands: Array(3).fill('evalsha'), atOnce: 3 });
  });

  it('of an idle poll are two, and of a poll with a thousand events eight', async () => {
    const { state, sent } = counted();
    for (const [, call] of CALLS) await call(state);
    await clients.ioredis.flushall();
    sent();
    await state.settle('q', { id: idOf(await state.reserve('q', poll, clock)), freeInMs: 60_000 }, clock);
    expect(sent().commands).toHaveLength(2);

    const ids = idsFrom(0, 1000);
    const slot = idOf(await state.reserve('q', poll, clock));
    await state.recall('h', ids, { ...lifetimes, count: { ids, below: 1 } }, clock);
    for (let start = 0; start < 1000; start += 200)
      await state.mark('h', idsFrom(start, 200), { handled: true, forMs: 60_000 }, clock);
    await state.settle('q', { id: slot, freeInMs: 60_000 }, clock);
    expect(sent().commands).toHaveLength(8);
  });
});
