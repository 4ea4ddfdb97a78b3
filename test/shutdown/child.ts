import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { programsFolder } from '../programs.js';

/** How a process ended, and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script, which may import `opendelivery-client`, in a new process, and waits until that ends. */
export async function run(script: string, nodeOptions = ''): Promise<Ended> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: programsFolder(),
    env: { ...process.env, NODE_OPTIONS: nodeOptions },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, ...output };
}
