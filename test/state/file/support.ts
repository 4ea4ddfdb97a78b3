import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type FileState, fileState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, onTestFinished } from 'vitest';
import { programOf } from '../../programs.js';
import { recalled } from '../recalled.js';

export const DAY_MS = 86_400_000;

/** A directory for one test, removed after it. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'file-state-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A state that is closed after the test. */
export function openState(directory: string): FileState {
  const state = fileState(directory);
  onTestFinished(() => state.close());
  return state;
}

/** A directory in which events 1 to 5 were remembered, one after another, before the process ended. */
export async function writtenDirectory(): Promise<{ directory: string; journal: string }> {
  const directory = temporaryDirectory();
  const state = fileState(directory);
  for (const id of ['1', '2', '3', '4', '5']) await state.remember('s', [id], DAY_MS, new ManualClock());
  await state.close();
  return { directory, journal: join(directory, 'journal') };
}

/** Those of the events 1 to 5 that the directory still remembers. */
export async function idsIn(directory: string): Promise<readonly string[]> {
  const state = fileState(directory);
  try {
    return await recalled(state, 's', ['1', '2', '3', '4', '5'], new ManualClock());
  } finally {
    await state.close();
  }
}

/** The warnings that the process gets about its state from now on. */
export function stateWarnings(): string[] {
  const messages: string[] = [];
  const onWarning = (warning: Error & { code?: string }) => {
    if (warning.code === 'OPENDELIVERY_STATE') messages.push(`${warning.name}: ${warning.message}`);
  };
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  return messages;
}

/** Matches a StateError by its message. */
export const stateError = (words: RegExp) =>
  expect.objectContaining({ code: 'state', message: expect.stringMatching(words) });

/** The directory and everything in it. */
export function filesIn(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return [directory, ...names.map((name) => join(directory, name))];
}

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
