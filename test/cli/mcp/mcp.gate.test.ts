import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, it, onTestFinished } from 'vitest';
import { codeBlocksOf, readText } from '../../docs/blocks.js';
import { programOf } from '../../programs.js';
import { served, temporaryDirectory } from '../../temporary.js';
import { Assistant } from './assistant.js';

const COMMAND = programOf('src/cli/index.ts');

/** For `--import`: the SDK is not installed. */
const WITHOUT_SDK = `data:text/javascript,${encodeURIComponent(`
import { register } from 'node:module';
register('data:text/javascript,' + encodeURIComponent(\`
export async function resolve(specifier, context, next) {
  if (!specifier.startsWith('@modelcontextprotocol/')) return next(specifier, context);
  throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
}\`));`)}`;

const REQUESTS = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/call', params: { name: 'create_order', arguments: {} } },
  { id: 3, method: 'tools/call', params: { name: 'run_doctor', arguments: {} } },
  { id: 4, method: 'tools/call', params: { name: 'start_rehearsal', arguments: { script: '99food' } } },
];

function start(env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(process.execPath, [COMMAND, 'mcp'], {
    cwd: temporaryDirectory(),
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** How the guide configures assistants that read JSON. */
const CONFIGURATIONS = codeBlocksOf(readText('docs/coding-assistants.md'))
  .filter(({ code }) => code.startsWith('{'))
  .map(
    ({ code }) => Object.values(JSON.parse(code)).map((servers) => Object.values(servers as object))[0]?.[0],
  );

it.each(CONFIGURATIONS)(
  "serves the SDK's own client over stdio, as the guide configures it",
  async (server) => {
    expect([server.command, server.args[0]]).toEqual(['npx', 'opendelivery']);
    const assistant = new Assistant();
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [COMMAND, ...server.args.slice(1)],
      cwd: temporaryDirectory(),
      stderr: 'pipe',
    });
    await assistant.client.connect(transport);
    onTestFinished(() => assistant.client.close());
    expect(assistant.client.getServerVersion()).toMatchObject({ name: 'opendelivery' });
    expect((await assistant.client.listTools()).tools.length).toBe(11);
    const { orderId } = await assistant.result<{ orderId: string }>('create_order');
    expect(orderId).toMatch(/^[\w-]+$/);
    expect(await assistant.text('opendelivery://llms.txt')).toContain('# opendelivery-client');
  },
);

it('writes only the protocol to stdout, and ends with stdin', async () => {
  const child = start();
  const err = text(child.stderr as NodeJS.ReadableStream);
  const answered = new Set<number>();
  const out = child.stdout as NodeJS.ReadableStream;
  let written = '';
  const all = new Promise<void>((resolve) => {
    out.on('data', (chunk) => {
      written += String(chunk);
      for (const [, id] of written.matchAll(/"id":(\d)/g)) answered.add(Number(id));
      if (answered.size === 4) resolve();
    });
  });
  for (const request of REQUESTS) child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`);
  await all;
  child.stdin?.end();
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  expect(await err).not.toContain('has closed');
  const messages = written
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(messages.map(({ jsonrpc, id }) => [jsonrpc, id]).sort()).toEqual(
    [1, 2, 3, 4].map((id) => ['2.0', id]),
  );
});

it('ends with stdin while the doctor waits for a hub', async () => {
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const url = await served(() => isAsked());
  const child = start({
    HUB_BASE_URL: url,
    HUB_CLIENT_ID: '1',
    HUB_CLIENT_SECRET: 'secret',
    HUB_API_KEY: 'key',
  });
  for (const request of REQUESTS.filter(({ id }) => (id ?? 0) % 2 === 1 || id === undefined)) {
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`);
  }
  await asked;
  child.stdin?.end();
  const [code] = await once(child, 'close', { signal: AbortSignal.timeout(4000) });
  expect(code).toBe(0);
});

it('ends when the SDK has closed the connection, after a message that is too large', async () => {
  const child = start();
  const err = text(child.stderr as NodeJS.ReadableStream);
  child.stdin?.on('error', () => {});
  child.stdin?.write('x'.repeat(11 * 1024 * 1024));
  const [code] = await once(child, 'exit');
  expect([code, await err]).toEqual([0, expect.stringContaining('the SDK has closed the connection')]);
});

it('ends at SIGTERM while stdin is open', async () => {
  const child = start();
  const err = child.stderr as NodeJS.ReadableStream;
  const [line] = await once(err, 'data');
  expect(String(line)).toMatch(/^the mock hub is at http:\/\/127\.0\.0\.1:\d+\n$/);
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});

it('without the SDK exits with 2 and says what to install; other commands do not need it', async () => {
  // Node 26 warns of the hook that hides the SDK.
  const node = ['--no-deprecation', '--import', WITHOUT_SDK, COMMAND];
  const ran = spawnSync(process.execPath, [...node, 'mcp'], { encoding: 'utf8' });
  expect(ran.stderr).toBe(
    'error: opendelivery mcp: needs another package: npm install --save-dev @modelcontextprotocol/sdk@1\n',
  );
  expect([ran.status, ran.stdout]).toEqual([2, '']);
  const mock = spawn(process.execPath, [...node, 'mock', '--port', '0']);
  onTestFinished(() => void mock.kill('SIGKILL'));
  const output = text(mock.stdout);
  await once(mock.stdout, 'data');
  mock.kill('SIGTERM');
  expect(await output).toContain('HUB_BASE_URL=');
});

it.each([
  [
    '--port 1 --url http://127.0.0.1:4010',
    "option '--url <url>' cannot be used with option '--port <number>'",
  ],
  ['--url 127.0.0.1', 'It must be an address (http or https)'],
  ['--store x', "unknown option '--store'"],
])('refuses %s with exit code 2', (options, message) => {
  const ran = spawnSync(process.execPath, [COMMAND, 'mcp', ...options.split(' ')], { encoding: 'utf8' });
  expect(ran.stderr).toContain(message);
  expect([ran.status, ran.stdout]).toEqual([2, '']);
});
