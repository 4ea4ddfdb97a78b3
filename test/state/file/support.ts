import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A directory of the test's own, removed when it is over. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'file-state-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The directory and all that is in it. */
export function filesIn(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return [directory, ...names.map((name) => join(directory, name))];
}

export interface Child {
  readonly pid: number;
  /** Lets it go on: it waits for its first line. */
  go(): void;
  /** The next line it says; undefined when it has ended. */
  next(): Promise<string | undefined>;
  /** Ends it as a crash does, and resolves with what it had still said. */
  kill(): Promise<string[]>;
  /** Lets it end by itself. */
  end(): Promise<void>;
}

/** A process over that directory; see `file-child.ts`. */
export function child(mode: 'hold' | 'write', directory: string, seed = 0): Child {
  const script = fileURLToPath(new URL('./child.ts', import.meta.url));
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const parameters = ['--import', 'tsx', script, mode, directory, String(seed)];
  const spawned = spawn(process.execPath, parameters, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
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

/** A process that has the directory. */
export async function holder(directory: string): Promise<Child> {
  const held = child('hold', directory);
  held.go();
  for (let line = await held.next(); line !== 'held'; line = await held.next()) {
    if (line !== 'ready') throw new Error(`the child said ${line}`);
  }
  return held;
}
