import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createMockHub } from 'opendelivery-client/testing';
import { expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tsx = fileURLToPath(import.meta.resolve('tsx/cli'));

/** Runs a script as the demo is run; real time, because the demo is. */
function run(script: string, environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [tsx, script], {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: '', ...environment },
  });
  let output = '';
  const chunks = (chunk: Buffer) => {
    output += chunk.toString();
    child.emit('output', output);
  };
  child.stdout.on('data', chunks);
  child.stderr.on('data', chunks);
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    child,
    exit: async () => {
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, output };
    },
    said: (text: string) =>
      new Promise<void>((resolve, reject) => {
        if (output.includes(text)) resolve();
        child.on('output', (all: string) => all.includes(text) && resolve());
        child.once('close', () => reject(new Error(`ended without saying ${text}:\n${output}`)));
      }),
  };
}

it('plays an evening, finds nothing missing, and exits with 0', async () => {
  const { code, output } = await run('test/demo/honest.ts').exit();
  expect(output).toContain('every event was written before it was confirmed, and none is missing');
  expect(output).toMatch(/NOT handled: CREATED, Error: the printer is out of paper/);
  expect(output).toMatch(/the hub asks to wait: next poll in 7\d s/);
  expect(output).toContain('menu: 3 offers changed');
  expect(code).toBe(0);
}, 60_000);

it('exits with 1 and says where, when a client acknowledges before it handles', async () => {
  const { code, output } = await run('test/demo/acknowledge-first.ts').exit();
  expect(output).toContain('was confirmed before it was written');
  expect(code).toBe(1);
}, 60_000);

it('examples/twenty-lines.ts ends in peace also when it never reached its hub', async () => {
  const { child, exit, said } = run('examples/twenty-lines.ts', {
    HUB_BASE_URL: 'http://127.0.0.1:9',
    HUB_CLIENT_ID: '1001',
    HUB_CLIENT_SECRET: 'secret',
    HUB_API_KEY: 'key',
  });
  await said('ECONNREFUSED');
  child.kill('SIGTERM');
  const { code, output } = await exit();
  expect(output).toContain('handled: 0');
  expect(code).toBe(0);
}, 60_000);

it.each(['examples/poller.ts', 'examples/twenty-lines.ts'])(
  '%s works for the hub the environment names until it is told to stop',
  async (script) => {
    const mock = createMockHub();
    const server = await mock.listen();
    onTestFinished(() => server.close());
    const { orderId, order } = mock.createOrder();
    const { child, exit, said } = run(script, {
      HUB_BASE_URL: server.url,
      HUB_CLIENT_ID: mock.credentials.clientId,
      HUB_CLIENT_SECRET: mock.credentials.clientSecret,
      HUB_API_KEY: mock.credentials.apiKey,
    });
    await said(
      script.includes('twenty') ? `order ${order.displayId} is on the list` : 'acknowledged: 1 events',
    );
    child.kill('SIGTERM');
    const { code, output } = await exit();
    expect(output).toMatch(/handled: 1|1 handled/);
    expect(code).toBe(0);
    expect(mock.acknowledged().map((event) => event.orderId)).toEqual([orderId]);
    expect(mock.violations()).toEqual([]);
  },
  60_000,
);
