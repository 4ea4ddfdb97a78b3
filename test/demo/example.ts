import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'vitest';
import { programOf } from '../programs.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

type OnTestFinished = TestContext['onTestFinished'];

/** Runs a script as `npm run demo` does, in real time. */
export function runExample(
  onTestFinished: OnTestFinished,
  script: string,
  environment: Record<string, string> = {},
) {
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
