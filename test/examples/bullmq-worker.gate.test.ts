import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished } from 'vitest';
import { programOf } from '../programs.js';
import { itWithRedis } from '../state/redis/server.js';
import { freePort } from '../temporary.js';

itWithRedis(
  'the example of many machines shows how shards move to a third worker, and back when it is killed',
  async (startRedis) => {
    const redis = await startRedis();
    onTestFinished(async () => void (await redis.close()));
    const env = {
      ...process.env,
      REDIS_URL: redis.socketPath,
      HUB_URL: `http://127.0.0.1:${await freePort()}`,
    };
    const start = (name: string) => {
      const path = programOf(`examples/bullmq-worker/${name}.ts`);
      const child = spawn(process.execPath, [path], { env, stdio: ['pipe', 'pipe', 'inherit'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
    };
    const hub = start('hub');
    expect((await hub.lines.next()).value).toMatch(/the mock hub of 200 stores/);
    const workers = start('workers');
    const lineLike = async (pattern: RegExp) => {
      for (;;) {
        const { value, done } = await workers.lines.next();
        if (done) throw new Error(`the example ended without ${pattern}`);
        if (pattern.test(value)) return value as string;
      }
    };
    const press = (key: string) => workers.child.stdin.write(`${key}\n`);

    const [, one, two] = /one 32 shards (\d+) stores \| two 32 shards (\d+) stores/.exec(
      await lineLike(/one 32 .* two 32/),
    ) as RegExpExecArray;
    expect(Number(one) + Number(two)).toBe(200);
    press('+');
    await lineLike(/one 2[12] .* two 2[12] .* three 2[12] shards/);
    press('k');
    await lineLike(/three has ended \(SIGKILL\)/);
    await lineLike(/one 32 .* two 32 .* [1-9]\d* orders/);
    const ended = once(workers.child, 'exit');
    press('q');
    expect(await ended).toEqual([0, null]);
  },
);
