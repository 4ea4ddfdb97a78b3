import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createMockHub } from 'opendelivery-client/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { programOf } from '../programs.js';
import { temporaryDirectory } from '../temporary.js';
import { sharedClock } from './shared-clock.js';

it('examples/exactly-once.ts makes one ticket of each order, and confirms it once, also if all events come again', () => {
  const output = execFileSync(process.execPath, [programOf('examples/exactly-once.ts')], {
    encoding: 'utf8',
    env: { ...process.env, HUB_BASE_URL: '' },
  });
  expect(output).toBe(
    '5 tickets and 5 confirmations for 5 orders\n5 tickets and 5 confirmations after the hub sent all events again\n',
  );
});

it('examples/exactly-once.ts makes one ticket of each order, also if it is killed twice before it sends the command', async () => {
  const directory = temporaryDirectory();
  const epoch = { startedAt: Date.now(), factor: 20 };
  const mock = createMockHub({ clock: sharedClock(epoch), unansweredAfterMs: Number.POSITIVE_INFINITY });
  const { url, close } = await mock.listen();
  onTestFinished(close);
  const confirmed = () => mock.emitted().filter(({ eventType }) => eventType === 'CONFIRMED');
  const begin = (dies: boolean) => {
    const orders = { epoch, directory, baseUrl: url, credentials: mock.credentials, dies };
    return spawn(process.execPath, [programOf('test/crash/exactly-once-child.ts'), JSON.stringify(orders)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  };
  for (let kill = 0; kill < 2; kill += 1) {
    mock.createOrder();
    const [, signal] = await once(begin(true), 'exit');
    expect(signal).toBe('SIGKILL');
    expect(confirmed()).toEqual([]);
  }
  const last = begin(false);
  const output: string[] = [];
  last.stdout.on('data', (chunk) => output.push(String(chunk)));
  await vi.waitFor(() => expect([mock.pending(), confirmed().length]).toEqual([[], 2]), {
    timeout: 60_000,
    interval: 50,
  });
  last.kill('SIGTERM');
  await once(last, 'close');
  expect(output.join('')).toBe('2\n');
  expect(mock.violations()).toEqual([]);
});
