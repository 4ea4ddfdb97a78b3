import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { hubWith, stores } from '../fleet/support.js';
import { programOf } from '../programs.js';
import { itWithRedis } from '../state/redis/server.js';
import { fileWith, freePort } from '../temporary.js';

itWithRedis(
  'the example of Kubernetes answers its probes as a pod of a StatefulSet and of a Deployment, until SIGTERM',
  async (startRedis) => {
    const redis = await startRedis();
    // The more there are, the sooner the first one is polled.
    const all = stores(300);
    const mock = hubWith(all);
    const { url, close } = await mock.listen();
    onTestFinished(async () => {
      await close();
      await redis.close();
    });
    const start = async (own: Record<string, string>) => {
      const PORT = String(await freePort());
      const child = spawn(process.execPath, [programOf('examples/kubernetes/app.ts')], {
        env: {
          ...process.env,
          NODE_OPTIONS: '',
          HUB_BASE_URL: url,
          REDIS_URL: redis.socketPath,
          STORES_FILE: fileWith(JSON.stringify(all.map(({ apiKey: _, ...store }) => store)), 'stores.json'),
          PORT,
          ...own,
        },
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => (output += String(chunk)));
      const probe = (path: string) =>
        fetch(`http://127.0.0.1:${PORT}${path}`).then(
          ({ status }) => status,
          () => 0,
        );
      const stop = async () => {
        child.kill('SIGTERM');
        const [code] = await once(child, 'close');
        return { code, output };
      };
      return { probe, stop };
    };

    const pod = await start({ SHARDS: '2', HOSTNAME: 'pos-1' });
    await expect.poll(() => pod.probe('/readyz'), { timeout: 30_000 }).toBe(200);
    expect(await pod.probe('/livez')).toBe(200);
    expect(await pod.stop()).toEqual({
      code: 0,
      output: 'closed on SIGTERM: 0 handled, 0 acknowledged, 0 left at the hub\n',
    });

    // The first process of a queue waits for its lock before it polls.
    const worker = await start({});
    await expect.poll(() => worker.probe('/livez'), { timeout: 30_000 }).toBe(200);
    expect(await worker.probe('/readyz')).toBe(503);
    expect(await worker.stop()).toEqual({
      code: 0,
      output: 'closed on SIGTERM: 0 handled, 0 acknowledged, 0 left at the hub\n',
    });
    expect(mock.violations()).toEqual([]);
  },
);
