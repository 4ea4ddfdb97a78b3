import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { requestsTo, stage } from '../../support.js';
import { recalled } from '../calls.js';
import { child } from './processes.js';
import { DAY_MS, idsFrom, openState, stateError, temporaryDirectory } from './support.js';

const lifetimes = { handledMs: DAY_MS, attemptedMs: DAY_MS };
/** As each container has it, the first process of the program has the number 1. */
const CONTAINER = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
const KEPT = { handled: true, forMs: DAY_MS } as const;

const isMountable = tries(['unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]);
const hasPidNamespaces = tries([...CONTAINER, 'true']);

function tries([command = '', ...parameters]: readonly string[]): boolean {
  try {
    execFileSync(command, parameters, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A disk of 1 MB. */
function smallDisk() {
  const directory = temporaryDirectory();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', directory]);
  onTestFinished(() => void execFileSync('umount', ['-l', directory]));
  const filler = join(directory, 'filler');
  const fillBy = (bytes: number) => {
    try {
      for (;;) writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' });
    } catch {
      // It is full.
    }
  };
  return {
    directory,
    fill: () => [65_536, 4096, 1].forEach(fillBy),
    empty: () => rmSync(filler),
    remount: (how: 'ro' | 'rw') => void execFileSync('mount', ['-o', `remount,${how}`, directory]),
  };
}

describe.skipIf(!isMountable)('a full disk', () => {
  it('rejects what cannot be stored, keeps what was stored, and works again when there is space', async () => {
    const { directory, fill, empty } = smallDisk();
    const clock = new ManualClock();
    const state = openState(directory);
    await state.mark('events:s', ['before'], KEPT, clock);
    fill();
    const outcomes = [];
    for (let start = 0; start < 20_000; start += 1000) {
      try {
        await state.mark('events:s', idsFrom(start, 1000), KEPT, clock);
      } catch (error) {
        outcomes.push(error);
      }
    }
    expect(outcomes.length).toBeGreaterThan(15);
    for (const error of outcomes)
      expect(error).toEqual(stateError(/no space is left on the disk; free some/));
    expect(await recalled(state, 'events:s', ['before', 'event-19999'], clock)).toEqual(['before']);
    empty();
    await state.mark('events:s', ['after'], KEPT, clock);
    const again = child(directory);
    await again.tell('open');
    expect(await recalled(state, 'events:s', ['before', 'after', 'event-19999'], clock)).toEqual([
      'before',
      'after',
    ]);
  });

  it('stops the polls until there is space, and loses no event', async () => {
    const { directory, fill, empty } = smallDisk();
    const state = openState(directory);
    const { clock, mock, hub } = stage({ unansweredAfterMs: Number.POSITIVE_INFINITY }, { state });
    const handled: string[] = [];
    const poller = hub.poller().on('event', ({ eventId }) => void handled.push(eventId));
    poller.on('error', () => {});
    await poller.start();
    mock.createOrder();
    await clock.advance('1m');
    expect(mock.pending()).toEqual([]);
    fill();
    // The last pages of the log are used up.
    expect(() => {
      for (let start = 0; start < 20_000; start += 100)
        void state.mark('other', idsFrom(start, 100), KEPT, clock);
    }).toThrow(stateError(/no space/));
    for (let count = 0; count < 300; count += 1) mock.createOrder();
    await clock.advance('2m');
    const polls = requestsTo(mock, 'polling').length;
    await clock.advance('20m');
    expect(requestsTo(mock, 'polling')).toHaveLength(polls);
    expect(mock.pending().length).toBeGreaterThan(0);
    const known = new Set(handled);
    expect(mock.acknowledged().filter(({ eventId }) => !known.has(eventId))).toEqual([]);
    empty();
    await clock.advance('20m');
    expect(mock.pending()).toEqual([]);
    expect(new Set(handled).size).toBe(301);
    expect(mock.violations()).toEqual([]);
  });
});

describe.skipIf(!isMountable)('a read-only file system', () => {
  it('is an error that says what to do, and the file stays as it was', async () => {
    const { directory, remount } = smallDisk();
    const writer = child(directory);
    await writer.tell('open');
    await writer.tell('call', 'mark', 'events:s', ['1'], KEPT);
    await writer.kill();
    remount('ro');
    for (const path of [directory, join(directory, 'new.db'), join(directory, 'new')]) {
      expect(() => fileState(path)).toThrow(
        stateError(/the file or its file system is read-only; give fileState another path/),
      );
    }
    remount('rw');
    const next = child(directory);
    await next.tell('open');
    expect(await next.tell('call', 'recall', 'events:s', ['1'], lifetimes)).toEqual([
      { handled: true, attempts: 0 },
    ]);
  });
});

describe.skipIf(!hasPidNamespaces)('two containers with one directory', () => {
  it('never exceed a limit together, and see the marks of each other', async () => {
    const directory = temporaryDirectory();
    const children = [1, 2].map(() => child(directory, CONTAINER));
    await Promise.all(children.map((each) => each.tell('open')));
    const slots = await Promise.all(children.map((each) => each.tell('reserve', 20)));
    expect(slots.flat()).toHaveLength(10);
    expect(new Set(slots.flat()).size).toBe(10);
    for (const [index, each] of children.entries())
      await each.tell('call', 'mark', 'events:s', [`${index}`], KEPT);
    for (const each of children) {
      expect(await each.tell('call', 'recall', 'events:s', ['0', '1'], lifetimes)).toEqual([
        { handled: true, attempts: 0 },
        { handled: true, attempts: 0 },
      ]);
    }
  });
});
