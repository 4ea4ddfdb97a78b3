import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type FileState, fileState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { recalled } from '../recalled.js';
import { child } from './processes.js';
import { DAY_MS, openState, stateError, temporaryDirectory } from './support.js';

describe('a directory that is removed while it is in use', () => {
  const lost = stateError(/was taken over by another process, or removed; .*Restart this process/);

  async function expectLost(state: FileState): Promise<void> {
    const clock = new ManualClock();
    const calls: (() => unknown)[] = [
      () => state.get('k', clock),
      () => state.set('k', 'v', 1000, clock),
      () => state.delete('k', undefined, clock),
      () => state.reserve('q', { limit: 9, holdMs: 1000 }, clock),
      () => state.settle('q', 'id', 1000, clock),
      () => state.shut('q', 1000, clock),
      () => state.remember('s', ['x'], 1000, clock),
      () => recalled(state, 's', ['a'], clock),
    ];
    for (const call of calls) await expect(call()).rejects.toEqual(lost);
  }

  it.each<[string, (directory: string) => void]>([
    ['is not created again by a write', () => {}],
    ['and created again is not used', (directory) => mkdirSync(directory, { mode: 0o700 })],
    ['and restored from a backup is not used', (directory) => renameSync(`${directory}-backup`, directory)],
  ])('%s: every call rejects', async (_what, replace) => {
    const directory = join(temporaryDirectory(), 'state');
    const state = openState(directory);
    await state.remember('s', ['a'], DAY_MS, new ManualClock());
    await state.set('k', 'v', DAY_MS, new ManualClock());
    execFileSync('cp', ['-a', directory, `${directory}-backup`]);
    rmSync(directory, { recursive: true });
    replace(directory);
    const before = existsSync(directory) ? readdirSync(directory, { recursive: true }) : 'nothing';
    await expectLost(state);
    await state.close();
    expect(existsSync(directory) ? readdirSync(directory, { recursive: true }) : 'nothing').toEqual(before);
  });

  it('and taken by another process is left alone: neither its files nor its lock change', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const directory = join(temporaryDirectory(), 'state');
    const state = openState(directory);
    await state.set('k', 'v', DAY_MS, new ManualClock());
    rmSync(directory, { recursive: true });
    const other = child('hold', directory);
    other.go();
    expect([await other.next(), await other.next()]).toEqual(['ready', 'held']);
    const files = readdirSync(directory);
    vi.advanceTimersByTime(15_000);
    await expectLost(state);
    await state.close();
    expect(readdirSync(directory)).toEqual(files);
    expect(() => fileState(directory)).toThrow(stateError(/is in use by process/));
    await other.end();
  });

  it('and created again at the same moment belongs to the second state only, even if both locks look alike', async () => {
    const directory = join(temporaryDirectory(), 'state');
    const lock = join(directory, 'process-1.lock');
    const clock = new ManualClock();
    const first = openState(directory);
    execFileSync('touch', ['-r', lock, `${directory}-date`]);
    rmSync(directory, { recursive: true });
    // A file system can give the inode number of a removed file to the next one, and the same dates.
    const second = openState(directory);
    execFileSync('touch', ['-r', `${directory}-date`, lock]);
    await expect(first.remember('s', ['a'], 1000, clock)).rejects.toMatchObject({ code: 'state' });
    // The first state releases its own lock, not the second one's.
    await first.close();
    await second.remember('s', ['a'], 1000, clock);
    expect(readdirSync(directory)).toEqual(['journal', 'process-1.lock']);
  });
});
