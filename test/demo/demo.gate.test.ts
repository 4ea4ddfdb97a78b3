import { createMockHub } from 'opendelivery-client/testing';
import { describe, it } from 'vitest';
import { runExample } from './example.js';

it('simulates an evening, finds no problem, and exits with 0', async ({ expect, onTestFinished }) => {
  const { code, output } = await runExample(onTestFinished, 'examples/poller.ts').exit();
  expect(output).toContain('every event was saved before it was acknowledged, and none is missing');
  expect(output).toMatch(/listener failed: CREATED, Error: the printer is out of paper/);
  expect(output).toMatch(/backing off: next poll in 7\d s/);
  expect(output).toContain('menu: 3 offers changed');
  expect(code).toBe(0);
});

// Each waits for the real time of its process.
describe.concurrent('the smallest examples', () => {
  it('examples/first-orders.ts exits with 0 on SIGTERM also if the hub is unreachable', async ({
    expect,
    onTestFinished,
  }) => {
    const { child, exit, printed } = runExample(onTestFinished, 'examples/first-orders.ts', {
      HUB_BASE_URL: 'http://127.0.0.1:9',
      HUB_CLIENT_ID: '1001',
      HUB_CLIENT_SECRET: 'secret',
      HUB_API_KEY: 'key',
    });
    await printed('ECONNREFUSED');
    child.kill('SIGTERM');
    const { code, output } = await exit();
    expect(output).toContain('0 handled');
    expect(code).toBe(0);
  });

  it.for([
    ['examples/poller.ts', 'SIGTERM'],
    ['examples/first-orders.ts', 'SIGTERM'],
    ['examples/first-orders.ts', 'SIGINT'],
  ] as const)(
    '%s works with the hub of the environment until %s',
    async ([script, signal], { expect, onTestFinished }) => {
      const mock = createMockHub();
      const server = await mock.listen();
      onTestFinished(async () => void (await server.close()));
      const { orderId, order } = mock.createOrder();
      const { child, exit, printed } = runExample(onTestFinished, script, {
        HUB_BASE_URL: server.url,
        HUB_CLIENT_ID: mock.credentials.clientId,
        HUB_CLIENT_SECRET: mock.credentials.clientSecret,
        HUB_API_KEY: mock.credentials.apiKey,
      });
      await printed(
        script.includes('first-orders') ? `order ${order.displayId} saved` : 'acknowledged: 1 events',
      );
      child.kill(signal);
      const { code, output } = await exit();
      expect(output).toMatch(/handled: 1|1 handled/);
      expect(code).toBe(0);
      expect(mock.acknowledged().map((event) => event.orderId)).toEqual([orderId]);
      expect(mock.violations()).toEqual([]);
    },
  );
});
