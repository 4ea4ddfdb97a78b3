import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toStateError } from '../../../src/state/redis/failure.js';

/** The error of a command to a Redis that does not run. */
async function failureOf(run: () => Promise<unknown>): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
  throw new Error('the command succeeded');
}

describe('the error of a Redis that is down', () => {
  it.each(['127.0.0.1', '/nonexistent/redis.sock'])(
    'says what to check, with ioredis at %s',
    async (host) => {
      const address = host.startsWith('/') ? { path: host } : { host, port: 1 };
      for (const options of [{ maxRetriesPerRequest: 1 }, { enableOfflineQueue: false }]) {
        const client = new Redis({ ...address, ...options, retryStrategy: () => 5 });
        client.on('error', () => {});
        onTestFinished(() => client.disconnect());
        expect(toStateError(await failureOf(() => client.get('k'))).message).toMatch(
          /^redisState: .+; Redis cannot be reached: check that it is running/,
        );
      }
    },
  );

  it('says what to check, with node-redis', async () => {
    const closed = createClient();
    const offline = createClient({
      disableOfflineQueue: true,
      socket: { host: '127.0.0.1', port: 1, reconnectStrategy: false },
    });
    offline.on('error', () => {});
    const errors = [await failureOf(() => closed.get('k')), await failureOf(() => offline.connect())];
    for (const error of errors)
      expect(toStateError(error).message).toMatch(/^redisState: .+; Redis cannot be reached/);
  });
});

describe('toStateError', () => {
  it.each([
    ['WRONGPASS invalid username-password pair or user is disabled.', /check the username and password/],
    ['NOAUTH Authentication required.', /check the username and password/],
    ["NOPERM User app has no permissions to run the 'evalsha' command", /lacks a permission/],
    ["OOM command not allowed when used memory > 'maxmemory'.", /raise its maxmemory/],
    ["READONLY You can't write against a read only replica.", /connect it to the primary/],
    ['LOADING Redis is loading the dataset in memory', /wait until it is ready/],
    ['MISCONF Redis is configured to save RDB snapshots', /check its log and the free space/],
    ['CLUSTERDOWN The cluster is down', /check its nodes/],
    ["CROSSSLOT Keys in request don't hash to the same slot", /instead of the keyPrefix/],
    ['BUSY Redis is busy running a script. You can only call SCRIPT KILL', /SCRIPT KILL ends it/],
    ['NOREPLICAS Not enough good replicas to write.', /min-replicas-to-write/],
    ['connect ECONNREFUSED 127.0.0.1:6379', /cannot be reached/],
    ['Command timed out', /cannot be reached/],
  ])('adds to %j what to do', (message, remedy) => {
    const error = toStateError(new Error(message));
    expect(error.message).toMatch(remedy);
    expect(error).toMatchObject({ code: 'state', retryable: true, cause: { message } });
    expect(error.message.startsWith(`redisState: ${message}; `)).toBe(true);
  });

  it('adds nothing to a message that it does not know', () => {
    expect(toStateError(new Error('ERR something else')).message).toBe('redisState: ERR something else');
    expect(toStateError('words').message).toBe('redisState: words');
  });

  it('uses the code of an error without message, such as the AggregateError of a refused connection', () => {
    const error = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
    expect(toStateError(error).message).toMatch(/^redisState: ECONNREFUSED; Redis cannot be reached/);
  });

  it('keeps nothing of the error but its name and message', () => {
    const error = Object.assign(new Error('ERR no'), { name: 'ReplyError', command: { args: ['secret'] } });
    expect(toStateError(error).cause).toEqual(Object.assign(new Error('ERR no'), { name: 'ReplyError' }));
    expect(JSON.stringify(toStateError(error))).not.toContain('secret');
  });
});
