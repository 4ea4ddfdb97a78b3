import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createMockHub } from 'opendelivery-client/testing';
import { describe, it, type TestContext } from 'vitest';
import { programOf } from '../programs.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

type OnTestFinished = TestContext['onTestFinished'];

/** Runs a script as `npm run demo` does, in real time. */
function run(onTestFinished: OnTestFinished, script: string, environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [programOf(script)], {
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
    printed: (text: string) =>
      new Promise<void>((resolve, reject) => {
        if (output.includes(text)) resolve();
        child.on('output', (all: string) => all.includes(text) && resolve());
        child.once('close', () => reject(new Error(`ended without printing ${text}:\n${output}`)));
      }),
  };
}

// One after the other: at this speed, a busy machine has too few moments.
it('simulates an evening, finds no problem, and exits with 0', async ({ expect, onTestFinished }) => {
  const { code, output } = await run(onTestFinished, 'test/demo/honest.ts').exit();
  expect(output).toContain('every event was saved before it was acknowledged, and none is missing');
  expect(output).toMatch(/listener failed: CREATED, Error: the printer is out of paper/);
  expect(output).toMatch(/backing off: next poll in 7\d s/);
  expect(output).toContain('menu: 3 offers changed');
  expect(code).toBe(0);
});

it('exits with 1 and names the events if a client acknowledges before it handles', async ({
  expect,
  onTestFinished,
}) => {
  const { code, output } = await run(onTestFinished, 'test/demo/acknowledge-first.ts').exit();
  expect(output).toContain('was acknowledged before it was saved');
  expect(code).toBe(1);
});

// Each waits for the real time of its process.
describe.concurrent('the smallest examples', () => {
  it('examples/twenty-lines.ts exits with 0 on SIGTERM also if the hub is unreachable', async ({
    expect,
    onTestFinished,
  }) => {
    const { child, exit, printed } = run(onTestFinished, 'examples/twenty-lines.ts', {
      HUB_BASE_URL: 'http://127.0.0.1:9',
      HUB_CLIENT_ID: '1001',
      HUB_CLIENT_SECRET: 'secret',
      HUB_API_KEY: 'key',
    });
    await printed('ECONNREFUSED');
    child.kill('SIGTERM');
    const { code, output } = await exit();
    expect(output).toContain('handled: 0');
    expect(code).toBe(0);
  });

  it.for(['examples/poller.ts', 'examples/twenty-lines.ts'])(
    '%s works with the hub of the environment until SIGTERM',
    async (script, { expect, onTestFinished }) => {
      const mock = createMockHub();
      const server = await mock.listen();
      onTestFinished(() => server.close());
      const { orderId, order } = mock.createOrder();
      const { child, exit, printed } = run(onTestFinished, script, {
        HUB_BASE_URL: server.url,
        HUB_CLIENT_ID: mock.credentials.clientId,
        HUB_CLIENT_SECRET: mock.credentials.clientSecret,
        HUB_API_KEY: mock.credentials.apiKey,
      });
      await printed(script.includes('twenty') ? `order ${order.displayId} saved` : 'acknowledged: 1 events');
      child.kill('SIGTERM');
      const { code, output } = await exit();
      expect(output).toMatch(/handled: 1|1 handled/);
      expect(code).toBe(0);
      expect(mock.acknowledged().map((event) => event.orderId)).toEqual([orderId]);
      expect(mock.violations()).toEqual([]);
    },
  );
});
