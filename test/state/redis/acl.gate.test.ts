import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Clock, State } from 'opendelivery-client';
import { type NodeRedisClient, redisState } from 'opendelivery-client/redis';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testContract } from '../contract.js';
import { describeWithRedis } from './server.js';
import { type Clients, redisForSuite } from './support.js';

const GUIDE = fileURLToPath(new URL('../../../docs/redis-state.md', import.meta.url));
const guide = readFileSync(GUIDE, 'utf8').replaceAll(/\s+/g, ' ');

/** The keys and commands that an ACL user needs according to the guide. A new command of a script must be added there. */
const sentence = /A Redis ACL user needs the keys `([^`]+)` and the commands ([^.]+)\./.exec(guide);
const keys = sentence?.[1] ?? '';
const commands = [...(sentence?.[2]?.matchAll(/`([A-Z]+)`/g) ?? [])].map(([, name = '']) => name);

const USER = 'app';
const PASSWORD = 'of-the-test';

interface Call {
  readonly script: string;
  readonly options: { keys: string[]; arguments: string[] };
}

describeWithRedis('redisState under an ACL', (startRedis) => {
  const clients = redisForSuite(startRedis);
  /** All script calls of the contract suite; each test starts with an empty Redis. */
  const calls: (Call | 'flush')[] = [];
  let user: Awaited<ReturnType<typeof connect>>;

  beforeAll(async () => {
    await allow(commands);
    user = await connect(clients);
  });
  afterAll(() => user.destroy());

  const allow = (names: readonly string[]) =>
    clients.ioredis.call('ACL', [
      ...['SETUSER', USER, 'reset', 'on', `>${PASSWORD}`, `~${keys}`],
      ...names.map((name) => `+${name.toLowerCase()}`),
    ]);

  /** A state of that user with the test's clock. The scripts call TIME too, because that needs a permission. */
  function stateAt(clock: Clock): State {
    calls.push('flush');
    const client: NodeRedisClient = {
      evalSha: (sha1, options) => user.evalSha(sha1, options),
      eval: (text, options) => {
        const now = clock.now();
        const time = `{'${Math.floor(now / 1000)}', '${(now % 1000) * 1000}'}`;
        const script = text.replace("redis.call('TIME')", `redis.call('TIME') and ${time}`);
        calls.push({ script, options });
        return user.eval(script, options);
      },
    };
    return redisState(client);
  }

  it('needs the keys and commands that the guide lists', () => {
    expect(keys).toBe('opendelivery:*');
    expect(commands.length).toBeGreaterThan(10);
    expect(commands).toEqual([...new Set(commands)].sort());
  });

  testContract('redisState of a user with these permissions only', stateAt);

  describe('of the commands', () => {
    it.each(commands)('%s is needed', async (command) => {
      expect(calls.length).toBeGreaterThan(100);
      await allow(commands.filter((name) => name !== command));
      expect(await firstRefusal()).toMatch(/NOPERM|ACL failure|can't run this command/);
    });

    it('no other is needed', async () => {
      await allow(commands);
      expect(await firstRefusal()).toBe('none');
    });
  });

  async function firstRefusal(): Promise<string> {
    for (const call of calls) {
      if (call === 'flush') {
        await clients.ioredis.flushall();
        continue;
      }
      try {
        await user.evalSha('0'.repeat(40), call.options).catch((error: Error) => {
          if (!error.message.startsWith('NOSCRIPT')) throw error;
        });
        await user.eval(call.script, call.options);
      } catch (error) {
        return (error as Error).message;
      }
    }
    return 'none';
  }
});

async function connect({ server }: Clients) {
  const client = createClient({
    username: USER,
    password: PASSWORD,
    socket: { path: server.socketPath, tls: false },
  });
  client.on('error', () => {});
  return client.connect();
}
