import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FileState, fileState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, onTestFinished } from 'vitest';
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
