import { cpSync, existsSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ConfigurationError, fileState, StateError } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runs } from '../../runs.js';
import { clientOf, densest, requestsTo } from '../../support.js';
import { idOf, stateContract } from '../contract.js';
import { recalled } from '../recalled.js';
import { DAY_MS, filesIn, openState, temporaryDirectory } from './support.js';

stateContract('fileState', () => openState(temporaryDirectory()));

describe('fileState', () => {
  const request = { limit: 2, holdMs: 90_000 };

  it.each([
    ['a file', 'file', 'a file with that name exists'],
    ['below a file', 'file/below', 'a part of that path is a file'],
  ])('refuses a path that is %s, and the error says so', (_what, path, words) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'file'), '');
    const isRefused = { code: 'state', message: expect.stringContaining(words) };
    expect(() => fileState(join(directory, path))).toThrow(expect.objectContaining(isRefused));
  });

  it.skipIf(!existsSync('/proc/self'))('refuses a path where directories cannot be created', () => {
    const isRefused = { code: 'state', message: expect.stringContaining('ENOENT') };
    expect(() => fileState('/proc/x/y')).toThrow(expect.objectContaining(isRefused));
  });

  it('restores everything when it is reopened, for the time that is left by the wall clock', async () => {
    const directory = temporaryDirectory();
    const before = new ManualClock('2026-01-05T12:00:00Z');
    const first = openState(directory);
    await first.set('token', 'secret', 100_000, before);
    await first.remember('handled', ['a', 'b\u2028'], 100_000, before);
    await first.reserve('q', request, before);
    const second = await first.reserve('q', request, before);
    await first.settle('q', idOf(second), 50_000, before);
    await first.shut('closed', 80_000, before);
    await first.close();

    const after = new ManualClock('2026-01-05T12:00:40Z');
    const again = openState(directory);
    expect(await again.get('token', after)).toBe('secret');
    expect(await recalled(again, 'handled', ['a', 'b\u2028', 'c'], after)).toEqual(['a', 'b\u2028']);
    expect(await again.reserve('q', request, after)).toEqual({
      granted: false,
      waitMs: 10_000,
      reason: 'quota',
    });
    expect(await again.reserve('closed', request, after)).toMatchObject({ waitMs: 40_000, reason: 'shut' });
    await after.advance('50s');
    expect(await again.reserve('q', request, after)).toMatchObject({ granted: true, remaining: 1 });
    await after.advance('10s');
    expect(await again.get('token', after)).toBeUndefined();
    expect(await recalled(again, 'handled', ['a', 'b\u2028'], after)).toEqual([]);
  });

  it.each([
    ['a minute', '2026-01-05T11:59:00Z', 'secret'],
    // The age of the value is unknown, so it counts as absent: a token and a menu can be requested again.
    ['years', '2020-01-01T00:00:00Z', undefined],
  ])(
    'keeps nothing longer when the wall clock was set back %s in the meantime',
    async (_by, startAt, value) => {
      const directory = temporaryDirectory();
      const first = openState(directory);
      const before = new ManualClock('2026-01-05T12:00:00Z');
      await first.reserve('q', request, before);
      await first.set('token', 'secret', 60_000, before);
      await first.close();
      const after = new ManualClock(startAt);
      const again = openState(directory);
      expect(await again.get('token', after)).toBe(value);
      await after.advance('60s');
      expect(await again.get('token', after)).toBeUndefined();
      expect(await again.reserve('q', request, after)).toMatchObject({ granted: true, remaining: 0 });
      expect(await again.reserve('q', request, after)).toMatchObject({ waitMs: 30_000, reason: 'quota' });
    },
  );

  it('rewrites the journal with new dates when the wall clock is set while it runs', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock('1970-01-01T00:00:10Z');
    const first = openState(directory);
    await first.reserve('q', request, clock);
    await first.remember('handled', ['a'], DAY_MS, clock);
    clock.step(Date.parse('2026-01-05T12:00:00Z'));
    await clock.advance('10s');
    await first.reserve('q', request, clock);
    await first.close();
    const again = openState(directory);
    const after = new ManualClock(clock.now());
    expect(await again.reserve('q', request, after)).toMatchObject({ granted: false, waitMs: 80_000 });
    expect(await recalled(again, 'handled', ['a'], after)).toEqual(['a']);
  });

  it('keeps the attempts that a recall has counted', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const lifetimes = { handledMs: DAY_MS, attemptedMs: DAY_MS };
    for (let run = 0; run < 3; run += 1) {
      const state = openState(directory);
      const request = { ...lifetimes, count: { ids: ['a', 'b'], below: 2 } };
      const marks = await state.recall('s', ['a', 'b', 'c'], request, clock);
      expect(marks).toEqual([Math.min(run, 2), Math.min(run, 2), 0]);
      await state.close();
    }
    expect(await openState(directory).recall('s', ['a', 'b'], lifetimes, clock)).toEqual([2, 2]);
  });

  it('gives each run other slot ids', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const first = openState(directory);
    const early = idOf(await first.reserve('q', request, clock));
    await first.close();
    const again = openState(directory);
    const late = idOf(await again.reserve('q', request, clock));
    expect(late).not.toBe(early);
    await again.settle('q', late, 0, clock);
    expect(await again.reserve('q', request, clock)).toMatchObject({ granted: true, remaining: 0 });
  });

  it('makes virtual time wait for the disk', async () => {
    const clock = new ManualClock();
    const state = openState(temporaryDirectory());
    const asked = [state.remember('s', ['a'], 1000, clock), state.set('k', 'v', 1000, clock)];
    const doneAt = asked.map((each) => Promise.resolve(each).then(() => clock.monotonic()));
    await clock.advance('1h');
    expect(await Promise.all(doneAt)).toEqual([0, 0]);
  });

  it('creates files that only its user can read, with names that do not contain keys', async () => {
    const directory = join(temporaryDirectory(), 'a', 'b');
    const clock = new ManualClock();
    const state = openState(directory);
    await state.set('merchant:some-key', 'value', 1000, clock);
    await state.remember('handled:some-key', ['a'], 1000, clock);
    for (const path of filesIn(directory)) {
      const { mode } = statSync(path);
      expect([path, (mode & 0o777).toString(8)]).toEqual([
        path,
        statSync(path).isDirectory() ? '700' : '600',
      ]);
      expect(path).not.toContain('some-key');
    }
    expect(
      filesIn(directory)
        .map((path) => relative(directory, path))
        .sort(),
    ).toEqual(['', 'journal', 'process-1.lock', 'values', expect.stringMatching(/^values\/[0-9a-f]{64}$/)]);
    await state.close();
    expect(readdirSync(directory).sort()).toEqual(['journal', 'values']);
  });

  it('returns one state for all spellings of a directory in this process', async () => {
    const directory = temporaryDirectory();
    const link = `${directory}-link`;
    symlinkSync(directory, link);
    onTestFinished(() => rmSync(link));
    const state = openState(directory);
    expect(fileState(relative(process.cwd(), directory))).toBe(state);
    expect(fileState(link)).toBe(state);
    await state.close();
    await state.close();
    const again = openState(directory);
    expect(again).not.toBe(state);
    await expect(recalled(state, 's', [], new ManualClock())).rejects.toMatchObject({
      code: 'state',
      message: expect.stringContaining('is closed'),
    });
  });

  it('refuses what is not a path, a file, and a path below a file', () => {
    for (const dir of ['', undefined, 7, null, 'a\0b'])
      expect(() => fileState(dir as string)).toThrow(ConfigurationError);
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'file'), 'x');
    for (const dir of ['file', 'file/below']) {
      expect(() => fileState(join(directory, dir))).toThrow(StateError);
      expect(() => fileState(join(directory, dir))).toThrow(/give fileState another directory/);
    }
  });

  it('rejects after its directory was removed, and a new call creates the directory again', async () => {
    const directory = join(temporaryDirectory(), 'state');
    const clock = new ManualClock();
    const state = openState(directory);
    await state.remember('s', ['a'], 1000, clock);
    rmSync(directory, { recursive: true });
    await expect(state.remember('s', ['b'], 1000, clock)).rejects.toMatchObject({ code: 'state' });
    await expect(state.set('s', 'b', 1000, clock)).rejects.toMatchObject({ code: 'state' });
    const again = openState(directory);
    expect(again).not.toBe(state);
    await again.remember('s', ['c'], 1000, clock);
    expect(await recalled(again, 's', ['a', 'b', 'c'], clock)).toEqual(['c']);
  });
});

describe('a client over fileState', () => {
  it('that restarts keeps its token, quotas, handled events and menu', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    let handled = 0;
    const { event } = mock.createOrder();
    for (let run = 0; run < 12; run += 1) {
      const state = fileState(directory);
      const { hub } = clientOf(mock, { clock, state });
      const poller = hub.poller();
      poller.on('CREATED', () => void (handled += 1));
      const started = poller.start();
      await clock.advance('41s');
      await started;
      expect((await hub.merchant.get()).stale).toBe(false);
      await poller.stop();
      await hub.close();
      await state.close();
      mock.redeliver(event.eventId);
    }
    expect(handled).toBe(1);
    expect(mock.violations()).toEqual([]);
    expect(requestsTo(mock, 'token')).toHaveLength(1);
    expect(requestsTo(mock, 'merchant')).toHaveLength(1);
  });

  it('that is killed at any moment, many times, keeps the limits of the hub', async () => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock, latencyMs: 400, tokenLifetimeMs: 300_000 });
    let seed = 20260105;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % below;
    };
    let directory = temporaryDirectory();
    for (let run = 0; run < runs(60, 6); run += 1) {
      const state = fileState(directory);
      const { hub } = clientOf(mock, { clock, state });
      if (run % 3 === 0) mock.faults.next('polling', 'hang');
      if (run % 4 === 0) mock.faults.next('token', 'hang');
      for (const call of [hub.events.poll(), hub.events.poll(), hub.auth.renew()]) call.catch(() => {});
      await clock.advance(random(2) ? random(1500) : random(60_000));
      // A kill leaves the disk as it is at that moment, so the next run uses a copy.
      const left = join(temporaryDirectory(), 'left');
      cpSync(directory, left, { recursive: true, filter: (path) => !path.endsWith('.lock') });
      await hub.close();
      await state.close();
      directory = left;
    }
    expect(mock.violations()).toEqual([]);
    expect(densest(requestsTo(mock, 'polling'), 60_000)).toBe(2);
    expect(densest(requestsTo(mock, 'token'), 3_600_000)).toBe(10);
  });

  it('shares quota and token with a second client of the same directory', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const one = clientOf(mock, { clock, state: openState(directory) });
    const two = clientOf(mock, { clock, state: fileState(directory), rateLimit: { mode: 'throw' } });
    await one.hub.events.poll();
    await two.hub.events.poll();
    await expect(two.hub.events.poll()).rejects.toMatchObject({ code: 'rate_limit', origin: 'local' });
    expect(requestsTo(mock, 'token')).toHaveLength(1);
    expect([...one.log, ...two.log]).toEqual([]);
  });
});
