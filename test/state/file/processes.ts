import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { programOf } from '../../programs.js';

export interface Child {
  readonly pid: number;
  /** Gives it an order, see `child.ts`, and resolves with its answer. */
  tell(...order: readonly unknown[]): Promise<unknown>;
  /** The same without waiting. */
  begin(...order: readonly unknown[]): void;
  /** The next line that it prints; undefined after its end. */
  next(): Promise<unknown>;
  /** Kills it as a crash does, and resolves with the lines that it had printed. */
  kill(): Promise<unknown[]>;
}

/**
 * A process that works on the state of a directory.
 *
 * @param wrapper - a program, with its parameters, that starts it.
 */
export function child(directory: string, wrapper: readonly string[] = []): Child {
  const [command = '', ...parameters] = [
    ...wrapper,
    process.execPath,
    programOf('test/state/file/child.ts'),
    directory,
  ];
  const spawned = spawn(command, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(spawned, 'exit');
  const lines = createInterface({ input: spawned.stdout })[Symbol.asyncIterator]();
  const begin = (...order: readonly unknown[]) => void spawned.stdin.write(`${JSON.stringify(order)}\n`);
  const next = async () => {
    const { value, done } = await lines.next();
    return done ? undefined : JSON.parse(value);
  };
  onTestFinished(() => void spawned.kill('SIGKILL'));
  return {
    pid: spawned.pid ?? 0,
    begin,
    next,
    async tell(...order) {
      begin(...order);
      const answer = (await next()) as { result?: unknown; error?: string } | undefined;
      if (!answer) throw new Error('the process has ended');
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer.result;
    },
    async kill() {
      spawned.kill('SIGKILL');
      await ended;
      const said: unknown[] = [];
      for (let line = await next(); line !== undefined; line = await next()) said.push(line);
      return said;
    },
  };
}
