import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ProcessIdentity, thisProcess } from '../../../src/state/file/process-identity.js';
import { programOf } from '../../programs.js';
import { child, owningChild } from './processes.js';
import { temporaryDirectory } from './support.js';

const locksIn = (directory: string) => readdirSync(directory).filter((name) => name.startsWith('process-'));

/** A lock as that process would have written it `secondsAgo`. */
function leaveLock(directory: string, holder: Partial<ProcessIdentity> | string, secondsAgo = 0): void {
  const path = join(directory, 'process-7.lock');
  writeFileSync(path, typeof holder === 'string' ? holder : JSON.stringify({ ...thisProcess(), ...holder }));
  date(path, secondsAgo);
}

function date(path: string, secondsAgo: number): void {
  const at = new Date(Date.now() - secondsAgo * 1000);
  utimesSync(path, at, at);
}

const isTaken = { code: 'state', message: expect.stringMatching(/is in use by/) };

function refusal(directory: string): unknown {
  try {
    void fileState(directory).close();
    return 'not refused';
  } catch (error) {
    return error;
  }
}

describe('a second process on a directory', () => {
  it('is refused while the first lives, with its pid in the message', async () => {
    const directory = temporaryDirectory();
    const first = await owningChild(directory);
    expect(refusal(directory)).toMatchObject({
      name: 'StateError',
      code: 'state',
      message: expect.stringContaining(`is in use by process ${first.pid};`),
    });
    const second = child('hold', directory);
    second.go();
    expect(await second.next()).toBe('ready');
    expect(await second.next()).toMatch(/^refused state fileState: .* is in use by process \d+; use one/);
    await first.end();
    expect(locksIn(directory)).toEqual([]);
    expect(refusal(directory)).toBe('not refused');
  });

  it('takes over from one that was killed, and one lock remains', async () => {
    const directory = temporaryDirectory();
    const first = await owningChild(directory);
    await first.kill();
    expect(locksIn(directory)).toEqual(['process-1.lock']);
    const second = await owningChild(directory);
    expect(locksIn(directory)).toEqual(['process-2.lock']);
    await second.end();
    expect(locksIn(directory)).toEqual([]);
  });

  it('never shares the directory with another one that takes over at the same time', async () => {
    const directory = temporaryDirectory();
    await (await owningChild(directory)).kill();
    for (let round = 0; round < 2; round += 1) {
      const rivals = Array.from({ length: 4 }, () => child('hold', directory));
      for (const rival of rivals) expect(await rival.next()).toBe('ready');
      for (const rival of rivals) rival.go();
      const words = await Promise.all(rivals.map(async (rival) => (await rival.next())?.split(' ')[0]));
      expect(words.sort()).toEqual(['held', 'refused', 'refused', 'refused']);
      await Promise.all(rivals.map((rival) => rival.kill()));
    }
  });
});

describe.skipIf(thisProcess().begun === '')('a lock', () => {
  it('of a live process is valid, however long it has written nothing', async () => {
    const directory = temporaryDirectory();
    const { end } = await owningChild(directory);
    for (const name of readdirSync(directory)) date(join(directory, name), 86_400);
    expect(refusal(directory)).toMatchObject(isTaken);
    await end();
  });

  it('of another thread of this process is valid until there was no heartbeat for a minute', () => {
    const directory = temporaryDirectory();
    leaveLock(directory, {}, 50);
    expect(refusal(directory)).toMatchObject({
      code: 'state',
      message: expect.stringMatching(
        /is in use by this process: .*\(await its close\(\)\), by another thread, .* after 60 s/,
      ),
    });
    leaveLock(directory, {}, 70);
    expect(refusal(directory)).toBe('not refused');
  });

  it('has a heartbeat every 15 seconds, also when its owner is idle', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const directory = temporaryDirectory();
    const sign = join(directory, 'sign-of-life');
    const state = fileState(directory);
    for (let count = 0; count < 2; count += 1) {
      rmSync(sign, { force: true });
      vi.advanceTimersByTime(15_000);
      await vi.waitFor(() => expect(statSync(sign).mode & 0o777).toBe(0o600));
    }
    await state.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each<[string, Partial<ProcessIdentity>]>([
    ['of a pid that another process has now', { begun: '1' }],
    ['of a pid that no process has', { pid: 2 ** 22 + 5 }],
    ['of an earlier boot of the machine', { boot: 'another' }],
    ['of an earlier process with the pid of this one', { begun: '123', pid: process.pid }],
    ['of a dead process, from before the machine was renamed', { host: 'old-name', pid: 2 ** 22 + 5 }],
  ])('%s is taken over at once', async (_whose, whose) => {
    const directory = temporaryDirectory();
    leaveLock(directory, whose);
    const state = fileState(directory);
    await state.remember('s', ['a'], 1000, new ManualClock());
    expect(locksIn(directory)).toEqual(['process-8.lock']);
    expect(readFileSync(join(directory, 'process-8.lock'), 'utf8')).toContain(`"pid":${process.pid}`);
    await state.close();
  });

  it.each<[string, Partial<ProcessIdentity> | string]>([
    ['of another machine', { host: `not-${hostname()}`, boot: 'another' }],
    ['of another container', { namespace: 'pid:[1]' }],
    ['of a system without start times', { begun: '' }],
    ['that is empty', ''],
    ['that was cut off', '{"pid":12'],
    ['that is other JSON', '{"__proto__":{"pid":1}}'],
    ['with fields of wrong types', '{"pid":"7","host":7,"boot":null,"namespace":[],"begun":{}}'],
  ])('%s is valid until there was no heartbeat for a minute', (_whose, whose) => {
    const directory = temporaryDirectory();
    leaveLock(directory, whose, 50);
    expect(refusal(directory)).toMatchObject(isTaken);
    leaveLock(directory, whose, 70);
    for (const sign of ['journal', 'sign-of-life']) {
      writeFileSync(join(directory, sign), '');
      expect(refusal(directory)).toMatchObject(isTaken);
      date(join(directory, sign), 70);
    }
    expect(refusal(directory)).toBe('not refused');
  });

  it('that is dated in the future does not block its directory until then', () => {
    const directory = temporaryDirectory();
    leaveLock(directory, { host: 'other', boot: 'another' }, -86_400);
    expect(refusal(directory)).toBe('not refused');
  });

  it('that another process has replaced makes every call reject', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const state = fileState(directory);
    await state.remember('s', ['a'], 1000, clock);
    const [lock = ''] = locksIn(directory);
    renameSync(join(directory, lock), join(directory, 'aside'));
    leaveLock(directory, { host: 'other', boot: 'another' });
    const isLost = { code: 'state', message: expect.stringContaining('was taken over by another process') };
    await expect(state.remember('s', ['b'], 1000, clock)).rejects.toMatchObject(isLost);
    await expect(state.reserve('q', { limit: 1, holdMs: 1 }, clock)).rejects.toMatchObject(isLost);
    await expect(state.set('k', 'v', 1000, clock)).rejects.toMatchObject(isLost);
    await state.close();
    expect(locksIn(directory)).toEqual(['process-7.lock']);
  });

  it('of a claim is removed if the claim is old, and kept if it is new', async () => {
    const directory = temporaryDirectory();
    for (const [name, secondsAgo] of [
      ['process-old.claim', 70],
      ['process-new.claim', 0],
    ] as const) {
      writeFileSync(join(directory, name), '');
      date(join(directory, name), secondsAgo);
    }
    const state = fileState(directory);
    expect(locksIn(directory).sort()).toEqual(['process-1.lock', 'process-new.claim']);
    await state.close();
  });
});

describe('the exit listener of the process', () => {
  it('is registered once for all directories, and removed with the last of them', async () => {
    const before = process.listenerCount('exit');
    for (let round = 0; round < 2; round += 1) {
      const states = [1, 2, 3].map(() => fileState(temporaryDirectory()));
      expect(process.listenerCount('exit')).toBe(before + 1);
      for (const [index, state] of states.entries()) {
        await state.close();
        expect(process.listenerCount('exit')).toBe(index === 2 ? before : before + 1);
      }
    }
  });

  it('releases every directory when the process ends', async () => {
    const directories = [temporaryDirectory(), temporaryDirectory()];
    const script = `
      import { fileState } from ${JSON.stringify(programOf('src/state/file/file-state.ts'))};
      for (const directory of ${JSON.stringify(directories)}) fileState(directory);`;
    execFileSync(process.execPath, ['--input-type=module', '-e', script]);
    expect(directories.flatMap(locksIn)).toEqual([]);
  });
});
