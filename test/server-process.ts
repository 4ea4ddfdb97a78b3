import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Waits until a server writes that it accepts connections. @throws {Error} it has ended without that. */
export async function ready(server: ChildProcess, output: Readable): Promise<void> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: output })) {
    lines.push(line);
    if (!/ready to accept (?:read-only )?connections/i.test(line)) continue;
    // Without a reader a full pipe would stop the server.
    output.resume();
    return;
  }
  throw new Error(`${server.spawnfile} did not start:\n${lines.join('\n')}`);
}

export async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill(signal);
  await ended;
}
