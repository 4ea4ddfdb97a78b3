/** The serverless recipes of docs/runtimes.md, bundled as it says, twice each against a mock hub and a Redis. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { bundle, EDGE } from './bundles.mjs';
import { WORKERD } from './platforms.mjs';
import { serveWorker } from './workerd.mjs';
import { manifest, root, run } from './workshop.mjs';

/** What the platforms do: call the handler, with the environment. */
const CALLERS = {
  'call-lambda.cjs': `
const { handler } = require('./lambda.cjs');
handler({}, { getRemainingTimeInMillis: () => 30_000 }).then((report) => console.log(JSON.stringify(report)));
`,
  'call-cloudflare.ts': `
import worker from './cloudflare.js';
export default {
  async fetch(request) {
    await worker.scheduled({}, await request.json());
    return Response.json({ handled: 1 });
  },
};
`,
};

export function recipes(shop) {
  return [
    async () => {
      const project = await prepare(shop, 'lambda');
      await bundle(project, 'lambda.ts', 'lambda.cjs', { platform: 'node', format: 'cjs' });
      await handlesAnOrderEach(project, async (env) =>
        JSON.parse(await run(process.execPath, ['call-lambda.cjs'], { cwd: project, env })),
      );
      console.log('docs/runtimes.md: the recipe for AWS Lambda works');
    },
    async () => {
      const [project, binary] = await Promise.all([
        prepare(shop, 'cloudflare'),
        shop.program(WORKERD, 'bin/workerd'),
      ]);
      const { outfile } = await bundle(project, 'call-cloudflare.ts', 'worker.mjs', EDGE);
      const worker = await serveWorker(binary, outfile);
      try {
        await handlesAnOrderEach(project, async (env) => {
          const response = await fetch(worker.url, { method: 'POST', body: JSON.stringify(env) });
          const text = await response.text();
          if (!response.ok) throw new Error(`the Worker failed\n${text}\n${worker.printed()}`);
          return JSON.parse(text);
        });
      } finally {
        await worker.close();
      }
      console.log('docs/runtimes.md: the recipe for Cloudflare Workers works');
    },
  ];
}

async function prepare(shop, name) {
  const project = await shop.project(name, `ioredis@${manifest.devDependencies.ioredis}`);
  await cp(join(root, 'examples/serverless'), project, { recursive: true });
  for (const [file, text] of Object.entries(CALLERS)) await writeFile(join(project, file), text);
  return project;
}

/** Two calls, an order before each: the second one has only the state to know of the first. */
async function handlesAnOrderEach(project, call) {
  const require = createRequire(join(project, 'package.json'));
  const { createMockHub } = require(`${manifest.name}/testing`);
  const mock = createMockHub();
  const { url, close } = await mock.listen();
  const redis = await serveRedis(join(project, 'redis'));
  try {
    const { clientId, clientSecret } = mock.credentials;
    const env = {
      HUB_BASE_URL: url,
      HUB_CLIENT_ID: clientId,
      HUB_CLIENT_SECRET: clientSecret,
      REDIS_URL: redis.url,
    };
    for (let calls = 1; calls <= 2; calls += 1) {
      const { orderId } = mock.createOrder();
      assert.ok((await call(env)).handled > 0);
      const types = mock.acknowledged().filter((event) => event.orderId === orderId);
      assert.deepEqual(
        types.map(({ eventType }) => eventType),
        ['CREATED'],
      );
    }
    const sent = (endpoint) => mock.requests.filter((request) => request.endpoint === endpoint).length;
    assert.deepEqual({ tokens: sent('token'), polls: sent('polling') }, { tokens: 1, polls: 2 });
    assert.deepEqual(mock.violations(), []);
  } finally {
    await redis.close();
    await close();
  }
}

async function serveRedis(folder) {
  await mkdir(folder);
  const port = await freePort();
  const child = spawn('redis-server', ['--port', String(port), '--save', '', '--dir', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => String(text).includes('Ready to accept') && resolve());
    ended.then(() => reject(new Error('redis-server did not start')));
    child.on('error', reject);
  });
  const close = async () => {
    child.kill();
    await ended;
  };
  return { url: `redis://127.0.0.1:${port}`, close };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}
