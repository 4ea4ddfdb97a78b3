import { statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileState, fileState } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { clientOf } from '../../support.js';
import { recalled } from '../recalled.js';
import { filesIn, temporaryDirectory } from './support.js';

const DAY_MS = 86_400_000;

/** The disk as every file of this process meets it. */
async function disk(): Promise<{ fill: (bytesLeft?: number, code?: string) => void; empty: () => void }> {
  const probe = join(temporaryDirectory(), 'probe');
  const file = await open(probe, 'w');
  const prototype = Object.getPrototypeOf(file) as FileHandle;
  await file.close();
  const { write } = prototype;
  onTestFinished(() => void vi.restoreAllMocks());
  return {
    fill(bytesLeft = 0, code = 'ENOSPC') {
      let left = bytesLeft;
      vi.spyOn(prototype, 'write').mockImplementation(async function (this: FileHandle, ...parameters) {
        const [bytes, from] = parameters as unknown as [Uint8Array, number?];
        const start = from ?? 0;
        const part = bytes.subarray(start, Math.min(bytes.length, start + left));
        if (part.length === 0) throw Object.assign(new Error(`${code}: no room`), { code });
        left -= part.length;
        return Reflect.apply(write, this, [part, 0]) as never;
      });
    },
    empty: () => void vi.restoreAllMocks(),
  };
}

function opened(directory: string): FileState {
  const state = fileState(directory);
  onTestFinished(() => state.close());
  return state;
}

describe('a full disk', () => {
  it('is told of by what cannot be promised; what was promised stays, and what fits again is kept', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const { fill, empty } = await disk();
    const state = opened(directory);
    await state.remember('s', ['before'], DAY_MS, clock);
    await state.set('k', 'old', DAY_MS, clock);
    fill();
    const full = {
      code: 'state',
      retryable: true,
      message: expect.stringMatching(/no space is left on the disk/),
    };
    await expect(state.remember('s', ['lost'], DAY_MS, clock)).rejects.toMatchObject(full);
    await expect(state.reserve('q', { limit: 2, holdMs: 1000 }, clock)).rejects.toMatchObject(full);
    await expect(state.shut('q', 1000, clock)).rejects.toMatchObject(full);
    await expect(state.set('k', 'new', DAY_MS, clock)).rejects.toMatchObject(full);
    await state.settle('q', 'id', 0, clock);
    expect(await state.get('k', clock)).toBe('old');
    expect(await recalled(state, 's', ['before'], clock)).toEqual(['before']);
    empty();
    await state.remember('s', ['after'], DAY_MS, clock);
    await state.set('k', 'new', DAY_MS, clock);
    await state.close();
    const again = opened(directory);
    expect(await recalled(again, 's', ['before', 'after'], clock)).toEqual(['before', 'after']);
    expect(await again.get('k', clock)).toBe('new');
    expect(filesIn(directory).filter((path) => path.endsWith('.new'))).toEqual([]);
  });

  it('gives a slot that could not be noted back', async () => {
    const clock = new ManualClock();
    const { fill, empty } = await disk();
    const state = opened(temporaryDirectory());
    await recalled(state, 's', [], clock);
    fill();
    for (let count = 0; count < 5; count += 1)
      await expect(state.reserve('q', { limit: 1, holdMs: 1000 }, clock)).rejects.toMatchObject({
        code: 'state',
      });
    empty();
    expect(await state.reserve('q', { limit: 1, holdMs: 1000 }, clock)).toMatchObject({ granted: true });
  });

  it('that ends a write at any byte harms neither what was before nor what comes after', async () => {
    const clock = new ManualClock();
    const { fill, empty } = await disk();
    for (let room = 0; room < 130; room += 3) {
      const directory = temporaryDirectory();
      const state = opened(directory);
      await state.remember('s', ['before'], DAY_MS, clock);
      fill(room);
      const noted = await Promise.resolve(state.remember('s', ['at the edge'], DAY_MS, clock)).then(
        () => true,
        () => false,
      );
      empty();
      await state.remember('s', ['after'], DAY_MS, clock);
      await state.close();
      const again = opened(directory);
      const known = await recalled(again, 's', ['before', 'at the edge', 'after'], clock);
      expect(known).toContain('before');
      expect(known).toContain('after');
      if (noted) expect(known).toContain('at the edge');
    }
  });

  it('at the start is no reason not to read what is there', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const { fill, empty } = await disk();
    const first = opened(directory);
    await first.remember('s', ['before'], DAY_MS, clock);
    await first.close();
    fill();
    const again = opened(directory);
    expect(await recalled(again, 's', ['before'], clock)).toEqual(['before']);
    await expect(again.remember('s', ['lost'], DAY_MS, clock)).rejects.toMatchObject({ code: 'state' });
    empty();
    await again.remember('s', ['after'], DAY_MS, clock);
    await again.close();
    expect(await recalled(opened(directory), 's', ['before', 'after'], clock)).toEqual(['before', 'after']);
  });

  it.each([
    ['EDQUOT', /disk quota of this user/],
    ['EROFS', /read-only/],
    ['EACCES', /this user has no permission/],
    ['EIO', /EIO: no room/],
  ])('and other refusals (%s) are told in words', async (code, words) => {
    const clock = new ManualClock();
    const { fill } = await disk();
    const state = opened(temporaryDirectory());
    await recalled(state, 's', [], clock);
    fill(0, code);
    await expect(state.remember('s', ['a'], 1000, clock)).rejects.toThrow(words);
  });

  it('lets no poll through until there is room, loses no event, and is warned of once', async () => {
    const clock = new ManualClock();
    const { fill, empty } = await disk();
    const mock = createMockHub({ clock });
    const { hub, log } = clientOf(mock, { clock, state: opened(temporaryDirectory()) });
    const handled: string[] = [];
    const told = new Set<string>();
    const poller = hub.poller();
    poller.on('CREATED', ({ eventId }) => {
      handled.push(eventId);
      if (handled.length === 1) fill();
    });
    poller.on('error', (error) => void told.add(error.name));
    const first = mock.createOrder().event.eventId;
    await poller.start();
    const second = mock.createOrder().event.eventId;
    await clock.advance('2s');
    // Handled, the mark kept in memory, acknowledged, told.
    expect(mock.acknowledged()).toHaveLength(1);
    const polls = () => mock.requests.filter(({ endpoint }) => endpoint === 'polling').length;
    const before = polls();
    await clock.advance('20m');
    expect(polls()).toBe(before);
    expect([...told]).toEqual(['StateError']);
    expect(log).toEqual([expect.stringContaining('the state is unavailable')]);
    empty();
    mock.redeliver(first);
    await clock.advance('6m');
    expect(handled).toEqual([first, second]);
    expect(mock.pending()).toEqual([]);
    expect(mock.violations()).toEqual([]);
    await poller.stop();
  });
});

describe('the files of a directory', () => {
  it('do not grow without end: what is forgotten is left out when they are written anew', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const state = opened(directory);
    const journal = join(directory, 'journal');
    let largest = 0;
    for (let hour = 0; hour < 24 * 40; hour += 6) {
      const ids = Array.from({ length: 120 }, (_, index) => `event-${hour}-${index}-${'x'.repeat(60)}`);
      await state.remember('handled:store', ids, DAY_MS, clock);
      const slot = await state.reserve('q', { limit: 2, holdMs: 60_000 }, clock);
      if (slot.granted) await state.settle('q', slot.id, 30_000, clock);
      await clock.advance('6h');
      largest = Math.max(largest, statSync(journal).size);
    }
    // Forty days make two megabytes; a day of them fifty kilobytes.
    expect(largest).toBeGreaterThan(1_000_000);
    expect(largest).toBeLessThan(1_048_576 + 12_000);
    await state.close();
    const again = opened(directory);
    await recalled(again, 'handled:store', [], clock);
    expect(statSync(journal).size).toBeLessThan(60_000);
  });

  it('lose values that are past their time, of stores nobody asks for any more', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const state = opened(directory);
    for (let store = 0; store < 10; store += 1)
      await state.set(`merchant:${store}`, 'menu', store < 6 ? 1000 : DAY_MS, clock);
    writeFileSync(join(directory, 'values', 'of-another'), 'kept');
    await state.close();
    await clock.advance('1s');
    await opened(directory).get('merchant:9', clock);
    const names = filesIn(join(directory, 'values')).slice(1);
    expect(names).toHaveLength(5);
    expect(names.some((path) => path.endsWith('of-another'))).toBe(true);
  });
});

it('a fence that could not be written is not granted afterwards either', async () => {
  const directory = temporaryDirectory();
  const clock = new ManualClock();
  const { fill, empty } = await disk();
  const state = opened(directory);
  const request = { holder: 'first', leaseMs: 45_000 };
  await state.remember('s', ['before'], DAY_MS, clock);
  fill();
  await expect(state.lease('q', request, clock)).rejects.toMatchObject({ code: 'state' });
  empty();
  const granted = await state.lease('q', request, clock);
  await state.close();
  // A restart after the wall clock was put back: only the written fence can tell.
  clock.step(-DAY_MS);
  const next = await opened(directory).lease('q', { holder: 'second', leaseMs: 45_000 }, clock);
  expect([granted.granted, next.granted]).toEqual([true, true]);
  expect(next.granted && granted.granted && next.fence > granted.fence).toBe(true);
});
