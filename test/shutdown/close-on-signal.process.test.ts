import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createMockHub } from 'opendelivery-client/testing';
import { expect, it, onTestFinished } from 'vitest';
import { programOf } from '../programs.js';
import { some } from '../runs.js';

/** A program that has received an order. */
async function program(env: Record<string, string>, until: string) {
  const mock = createMockHub();
  const { url, close } = await mock.listen();
  onTestFinished(close);
  mock.createOrder();
  const { clientId, clientSecret } = mock.credentials;
  const child: ChildProcess = spawn(process.execPath, [programOf('test/shutdown/close-on-signal-child.ts')], {
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      HUB_URL: url,
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stderr?.on('data', (chunk) => (output.stderr += String(chunk)));
  const closed = once(child, 'close');
  await new Promise<void>((resolve) =>
    child.stdout?.on('data', (chunk) => {
      output.stdout += String(chunk);
      if (output.stdout.includes(until)) resolve();
    }),
  );
  const ended = async () => {
    const [code, signal] = (await closed) as [number | null, string | null];
    return { code, signal, ...output };
  };
  return { child, ended };
}

const DONE = '1 handled, 1 acknowledged, 0 left at the hub';

it.each(some<NodeJS.Signals>(['SIGTERM', 'SIGINT'], 2))(
  'on %s everything is closed, the report is one line, and the process ends with 0',
  async (signal) => {
    const { child, ended } = await program({}, 'acknowledged');
    child.kill(signal);
    expect(await ended()).toEqual({
      code: 0,
      signal: null,
      stdout: `listening\nacknowledged\nclosed on ${signal}: ${DONE}\n`,
      stderr: '',
    });
  },
);

it('the message shutdown of the parent process does the same, and no other message does', async () => {
  const { child, ended } = await program({}, 'acknowledged');
  child.send('restart');
  child.send({ type: 'shutdown' });
  child.send('shutdown');
  const { code, stdout } = await ended();
  expect([code, stdout]).toEqual([0, `listening\nacknowledged\nclosed on shutdown: ${DONE}\n`]);
});

it('waits for a listener as long as timeoutMs says, then says so', async () => {
  const { child, ended } = await program({ SLOW: '1', TIMEOUT_MS: '200' }, 'listening');
  child.kill('SIGTERM');
  const { code, stdout } = await ended();
  expect(stdout).toContain(
    'closed on SIGTERM: 0 handled, 0 acknowledged, 1 left at the hub; listeners were still running when the time was over',
  );
  expect(code).toBe(0);
});

const TWICE: ReadonlyArray<[first: NodeJS.Signals, second: NodeJS.Signals, code: number]> = [
  ['SIGTERM', 'SIGTERM', 143],
  ['SIGINT', 'SIGINT', 130],
  ['SIGTERM', 'SIGINT', 130],
];

it.each(some(TWICE, 2))(
  'a %s and then a %s end the process at once, with exit code %i',
  async (first, second, code) => {
    const { child, ended } = await program({ SLOW: '1' }, 'listening');
    child.kill(first);
    // Signals of one kind that come together count as one.
    const again = setInterval(() => child.kill(second), 50);
    onTestFinished(() => clearInterval(again));
    expect(await ended()).toMatchObject({ code, signal: null, stdout: 'listening\n' });
  },
);

it('closes the rest if one of the things cannot be closed, says which, and exits with 1', async () => {
  const { child, ended } = await program({ BROKEN: '1' }, 'acknowledged');
  child.kill('SIGTERM');
  expect(await ended()).toMatchObject({
    code: 1,
    stdout: `listening\nacknowledged\nclosed on SIGTERM: ${DONE}\n`,
    stderr: 'opendelivery-client: not closed: the pool is broken\n',
  });
});
