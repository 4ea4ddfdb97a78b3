/** The serverless recipes of docs/runtimes.md and docs/push-serverless.md, bundled as it says, twice each against a mock hub and a Redis. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
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
  'call-lambda-push.cjs': `
const { handler } = require('./lambda-push.cjs');
const { method, headers, body } = JSON.parse(process.argv[2]);
const event = { rawPath: '/', headers, body, isBase64Encoded: false, requestContext: { http: { method } } };
handler(event).then(({ statusCode }) => console.log(statusCode));
`,
  'call-cloudflare-push.ts': `
import worker from './cloudflare-push.js';
export default {
  async fetch(request) {
    const { env, push } = await request.json();
    return worker.fetch(new Request('https://worker.example/', push), env);
  },
};
`,
};

export function recipes(shop) {
  let prepared;
  const projectOf = () => {
    prepared ??= prepare(shop);
    return prepared;
  };
  return [
    async () => {
      const project = await projectOf();
      await bundle(project, 'lambda.ts', 'lambda.cjs', { platform: 'node', format: 'cjs' });
      await handlesAnOrderEach(project, async (env) =>
        JSON.parse(await run(process.execPath, ['call-lambda.cjs'], { cwd: project, env })),
      );
      console.log('docs/runtimes.md: the recipe for AWS Lambda works');
      await bundle(project, 'lambda-push.ts', 'lambda-push.cjs', { platform: 'node', format: 'cjs' });
      await handlesAPushEach(project, async (env, push) =>
        Number(
          await run(process.execPath, ['call-lambda-push.cjs', JSON.stringify(push)], { cwd: project, env }),
        ),
      );
      console.log('docs/push-serverless.md: the recipe for AWS Lambda works');
    },
    async () => {
      const [project, binary] = await Promise.all([projectOf(), shop.program(WORKERD, 'bin/workerd')]);
      await served(project, binary, 'call-cloudflare.ts', (post) =>
        handlesAnOrderEach(project, async (env) => (await post(env)).json()),
      );
      console.log('docs/runtimes.md: the recipe for Cloudflare Workers works');
      await served(project, binary, 'call-cloudflare-push.ts', (post) =>
        handlesAPushEach(project, async (env, push) => (await post({ env, push })).status),
      );
      console.log('docs/push-serverless.md: the recipe for Cloudflare Workers works');
    },
  ];
}

/** A program in workerd; `post` sends it JSON. */
async function served(project, binary, program, use) {
  const { outfile } = await bundle(project, program, program.replace('.ts', '.mjs'), EDGE);
  const worker = await serveWorker(binary, outfile);
  const post = async (body) => {
    const response = await fetch(worker.url, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`the Worker failed\n${await response.text()}\n${worker.printed()}`);
    return response;
  };
  try {
    await use(post);
  } finally {
    await worker.close();
  }
}

async function prepare(shop) {
  const project = await shop.project('serverless', `ioredis@${manifest.devDependencies.ioredis}`);
  await cp(join(root, 'examples/serverless'), project, { recursive: true });
  for (const [file, text] of Object.entries(CALLERS)) await writeFile(join(project, file), text);
  return project;
}

/** Two calls, an order before each: the second one has only the state to know of the first. */
function handlesAnOrderEach(project, call) {
  return withHub(project, async (mock, env, sent) => {
    for (let calls = 1; calls <= 2; calls += 1) {
      const { orderId } = mock.createOrder();
      assert.ok((await call(env)).handled > 0);
      const types = mock.acknowledged().filter((event) => event.orderId === orderId);
      assert.deepEqual(
        types.map(({ eventType }) => eventType),
        ['CREATED'],
      );
    }
    assert.deepEqual({ tokens: sent('token'), polls: sent('polling') }, { tokens: 1, polls: 2 });
  });
}

/** Two orders, each pushed twice: it is confirmed once. */
function handlesAPushEach(project, call) {
  return withHub(project, async (mock, env, sent) => {
    const pushes = [mock.createOrder(), mock.createOrder()].map(({ event }) => {
      const body = JSON.stringify(event);
      const signature = createHmac('sha256', env.HUB_CLIENT_SECRET).update(body).digest('hex');
      return { method: 'POST', headers: { 'x-app-signature': signature }, body };
    });
    for (const push of [...pushes, ...pushes]) assert.equal(await call(env, push), 200);
    assert.deepEqual({ tokens: sent('token'), polls: sent('polling') }, { tokens: 1, polls: 0 });
    assert.equal(mock.requests.filter(({ path }) => path.endsWith('/confirm')).length, 2);
  });
}

async function withHub(project, use) {
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
    const sent = (endpoint) => mock.requests.filter((request) => request.endpoint === endpoint).length;
    await use(mock, env, sent);
    assert.deepEqual(mock.violations(), []);
  } finally {
    await redis.close();
    await close();
  }
}

async function serveRedis(folder) {
  await mkdir(folder, { recursive: true });
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
