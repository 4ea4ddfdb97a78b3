import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { some } from '../../runs.js';
import { clientOf } from '../../support.js';
import { recalled } from '../recalled.js';
import { DAY_MS, filesIn, openState, temporaryDirectory } from './support.js';

/** How many bytes still fit onto the disk. */
const ROOMS = Array.from({ length: 44 }, (_, index) => index * 3);

/** Makes the disk full for all files of this process. */
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

describe('a full disk', () => {
  it('rejects what cannot be stored, keeps what was stored, and works again when there is space', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const { fill, empty } = await disk();
    const state = openState(directory);
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
    const again = openState(directory);
    expect(await recalled(again, 's', ['before', 'after'], clock)).toEqual(['before', 'after']);
    expect(await again.get('k', clock)).toBe('new');
    expect(filesIn(directory).filter((path) => path.endsWith('.new'))).toEqual([]);
  });

  it('frees a slot that could not be written', async () => {
    const clock = new ManualClock();
    const { fill, empty } = await disk();
    const state = openState(temporaryDirectory());
    await recalled(state, 's', [], clock);
    fill();
    for (let count = 0; count < 5; count += 1)
      await expect(state.reserve('q', { limit: 1, holdMs: 1000 }, clock)).rejects.toMatchObject({
        code: 'state',
      });
    empty();
    expect(await state.reserve('q', { limit: 1, holdMs: 1000 }, clock)).toMatchObject({ granted: true });
  });

  it('counts no attempt that could not be written', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const { fill, empty } = await disk();
    const state = openState(directory);
    const lifetimes = { handledMs: DAY_MS, attemptedMs: DAY_MS };
    const ids = ['new', 'once'];
    await state.count('s', ['once'], 1, DAY_MS, clock);
    fill();
    for (let round = 0; round < 3; round += 1) {
      const request = { ...lifetimes, count: { ids, below: Number.POSITIVE_INFINITY } };
      await expect(state.recall('s', ids, request, clock)).rejects.toMatchObject({ code: 'state' });
    }
    empty();
    expect(await state.recall('s', ids, lifetimes, clock)).toEqual([0, 1]);
    await state.close();
    expect(await openState(directory).recall('s', ids, lifetimes, clock)).toEqual([0, 1]);
  });

  it('that ends a write at any byte damages neither earlier nor later records', async () => {
    const clock = new ManualClock();
    const { fill, empty } = await disk();
    for (const room of some(ROOMS)) {
      const directory = temporaryDirectory();
      const state = openState(directory);
      await state.remember('s', ['before'], DAY_MS, clock);
      fill(room);
      const isStored = await Promise.resolve(state.remember('s', ['at the limit'], DAY_MS, clock)).then(
        () => true,
        () => false,
      );
      empty();
      await state.remember('s', ['after'], DAY_MS, clock);
      await state.close();
      const again = openState(directory);
      const known = await recalled(again, 's', ['before', 'at the limit', 'after'], clock);
      expect(known).toContain('before');
      expect(known).toContain('after');
      if (isStored) expect(known).toContain('at the limit');
    }
  });

  it('at the start does not prevent reading', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const { fill, empty } = await disk();
    const first = openState(directory);
    await first.remember('s', ['before'], DAY_MS, clock);
    await first.close();
    fill();
    const again = openState(directory);
    expect(await recalled(again, 's', ['before'], clock)).toEqual(['before']);
    await expect(again.remember('s', ['lost'], DAY_MS, clock)).rejects.toMatchObject({ code: 'state' });
    empty();
    await again.remember('s', ['after'], DAY_MS, clock);
    await again.close();
    expect(await recalled(openState(directory), 's', ['before', 'after'], clock)).toEqual([
      'before',
      'after',
    ]);
  });

  it.each([
    ['EDQUOT', /disk quota of this user/],
    ['EROFS', /read-only/],
    ['EACCES', /this user has no permission/],
    ['EIO', /EIO: no room/],
  ])('and other failures (%s) have a message that says what to do', async (code, words) => {
    const clock = new ManualClock();
    const { fill } = await disk();
    const state = openState(temporaryDirectory());
    await recalled(state, 's', [], clock);
    fill(0, code);
    await expect(state.remember('s', ['a'], 1000, clock)).rejects.toThrow(words);
  });

  it('stops the polls until there is space, loses no event, and is logged once', async () => {
    const clock = new ManualClock();
    const { fill, empty } = await disk();
    const mock = createMockHub({ clock, unansweredAfterMs: Number.POSITIVE_INFINITY });
    const { hub, log } = clientOf(mock, { clock, state: openState(temporaryDirectory()) });
    const handled: string[] = [];
    const errors = new Set<string>();
    const poller = hub.poller();
    poller.on('CREATED', ({ eventId }) => {
      handled.push(eventId);
      if (handled.length === 1) fill();
    });
    poller.on('error', (error) => void errors.add(error.name));
    const first = mock.createOrder().event.eventId;
    await poller.start();
    const second = mock.createOrder().event.eventId;
    await clock.advance('2s');
    // The event was handled, its mark kept in memory, the event acknowledged, and the error emitted.
    expect(mock.acknowledged()).toHaveLength(1);
    const polls = () => mock.requests.filter(({ endpoint }) => endpoint === 'polling').length;
    const before = polls();
    await clock.advance('20m');
    expect(polls()).toBe(before);
    expect([...errors]).toEqual(['StateError']);
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

it('a fence that could not be written is not granted later', async () => {
  const directory = temporaryDirectory();
  const clock = new ManualClock();
  const { fill, empty } = await disk();
  const state = openState(directory);
  const request = { holder: 'first', leaseMs: 45_000 };
  await state.remember('s', ['before'], DAY_MS, clock);
  fill();
  await expect(state.lease('q', request, clock)).rejects.toMatchObject({ code: 'state' });
  empty();
  const granted = await state.lease('q', request, clock);
  await state.close();
  // A restart after the wall clock was set back: only the written fence makes the next one greater.
  clock.step(-DAY_MS);
  const next = await openState(directory).lease('q', { holder: 'second', leaseMs: 45_000 }, clock);
  expect([granted.granted, next.granted]).toEqual([true, true]);
  expect(next.granted && granted.granted && next.fence > granted.fence).toBe(true);
});
