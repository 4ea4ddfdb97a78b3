import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { programOf } from '../../programs.js';

export interface Child {
  readonly pid: number;
  /** Starts its work: it waits for a first line on stdin. */
  go(): void;
  /** The next line that it prints; undefined after its end. */
  next(): Promise<string | undefined>;
  /** Kills it as a crash does, and resolves with the lines that it had printed. */
  kill(): Promise<string[]>;
  /** Closes its stdin, and resolves when it has ended. */
  end(): Promise<void>;
}

/** A process that opens the directory; see `child.ts`. */
export function child(mode: 'hold' | 'write', directory: string, seed = 0): Child {
  const parameters = [programOf('test/state/file/child.ts'), mode, directory, String(seed)];
  const spawned = spawn(process.execPath, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(spawned, 'exit');
  const lines = createInterface({ input: spawned.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    return done ? undefined : value;
  };
  onTestFinished(() => void spawned.kill('SIGKILL'));
  return {
    pid: spawned.pid ?? 0,
    go: () => void spawned.stdin.write('go\n'),
    next,
    async kill() {
      spawned.kill('SIGKILL');
      await ended;
      const said: string[] = [];
      for (let line = await next(); line !== undefined; line = await next()) said.push(line);
      return said;
    },
    async end() {
      spawned.stdin.end();
      await ended;
    },
  };
}

/** A process that has opened the directory. */
export async function owningChild(directory: string): Promise<Child> {
  const owner = child('hold', directory);
  owner.go();
  for (let line = await owner.next(); line !== 'held'; line = await owner.next()) {
    if (line !== 'ready') throw new Error(`the child printed ${line}`);
  }
  return owner;
}
