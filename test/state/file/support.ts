import { type FileState, fileState } from 'opendelivery-client';
import { expect, onTestFinished } from 'vitest';

export const DAY_MS = 86_400_000;

export { temporaryDirectory } from '../../temporary.js';

/** A state that is closed after the test. */
export function openState(path: string): FileState {
  const state = fileState(path);
  onTestFinished(async () => void (await state.close()));
  return state;
}

/** A connection of its own, as another process has it; closed after the test. */
export function openAnother(path: string): FileState {
  forgetOpenStates();
  return openState(path);
}

/** The next `fileState` opens the file again, although this process has it open. */
export function forgetOpenStates(): void {
  Reflect.deleteProperty(globalThis, Symbol.for('opendelivery-client.fileState.sqlite'));
}

/** Matches a StateError by its message. */
export const stateError = (words: RegExp) =>
  expect.objectContaining({ code: 'state', message: expect.stringMatching(words) });

/** Names of events. */
export const idsFrom = (start: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `event-${start + index}`);
