import { linkSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { claimDirectory } from '../../../src/state/file/lock-claim.js';
import { thisProcess } from '../../../src/state/file/process-identity.js';
import { stateError, temporaryDirectory } from './support.js';

function failingWith(code: string): () => void {
  return () => {
    throw Object.assign(new Error(code), { code });
  };
}

/** A lock that counts as live: another machine wrote it just now. */
function leaveLiveLock(directory: string, number: number): void {
  const owner = { ...thisProcess(), host: 'other', boot: 'another' };
  writeFileSync(join(directory, `process-${number}.lock`), JSON.stringify(owner));
}

const isInUse = stateError(/is in use by process \d+ on other, which cannot be inspected/);

describe('claimDirectory', () => {
  it('leaves one lock that names this process, and no claim', () => {
    const directory = temporaryDirectory();
    const path = claimDirectory(directory) as string;
    expect(readdirSync(directory)).toEqual(['process-1.lock']);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(thisProcess());
  });

  it('refuses a directory with a live lock, and does not create one', () => {
    const directory = temporaryDirectory();
    leaveLiveLock(directory, 3);
    const link = vi.fn(linkSync);
    expect(() => claimDirectory(directory, link)).toThrow(isInUse);
    expect(link).not.toHaveBeenCalled();
    expect(readdirSync(directory)).toEqual(['process-3.lock']);
  });

  it('withdraws when another process has made a lock at the same time', () => {
    const directory = temporaryDirectory();
    const link = (existing: string, name: string) => {
      leaveLiveLock(directory, 2);
      linkSync(existing, name);
    };
    expect(() => claimDirectory(directory, link)).toThrow(isInUse);
    expect(readdirSync(directory)).toEqual(['process-2.lock']);
  });

  it.each(['EEXIST', 'ENOENT'])('returns undefined when the link fails with %s', (code) => {
    const directory = temporaryDirectory();
    expect(claimDirectory(directory, failingWith(code))).toBeUndefined();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('copies the claim where the file system has no hard links', () => {
    const directory = temporaryDirectory();
    const path = claimDirectory(directory, failingWith('ENOTSUP')) as string;
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(thisProcess());
    expect(readdirSync(directory)).toEqual(['process-1.lock']);
  });

  it('throws another failure of the link', () => {
    expect(() => claimDirectory(temporaryDirectory(), failingWith('EIO'))).toThrow('EIO');
  });
});
