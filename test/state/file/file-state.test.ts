import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { ConfigurationError, type FileState, fileState, StateError } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clientOf, densest, requestsTo } from '../../support.js';
import { idOf, stateContract } from '../contract.js';
import { recalled } from '../recalled.js';
import { filesIn, temporaryDirectory } from './support.js';

const DAY_MS = 86_400_000;

function open(directory: string): FileState {
  const state = fileState(directory);
  onTestFinished(() => state.close());
  return state;
}

stateContract('fileState', () => open(temporaryDirectory()));

describe('what a directory keeps', () => {
  const request = { limit: 2, holdMs: 90_000 };

  it.each([
    ['a file', 'file', 'a file with that name exists'],
    ['below a file', 'file/below', 'a part of that path is a file'],
  ])('is nothing where its path is %s, and the error says so', (_what, path, words) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'file'), '');
    const isRefused = { code: 'state', message: expect.stringContaining(words) };
    expect(() => fileState(join(directory, path))).toThrow(expect.objectContaining(isRefused));
  });

  it.skipIf(!existsSync('/proc/self'))('is nothing where nobody makes directories', () => {
    const isRefused = { code: 'state', message: expect.stringContaining('ENOENT') };
    expect(() => fileState('/proc/x/y')).toThrow(expect.objectContaining(isRefused));
  });

  it('is no value that a crash left half written', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const first = open(directory);
    await first.set('token', 'secret', 100_000, clock);
    await first.close();
    const [name = ''] = readdirSync(join(directory, 'values'));
    cpSync(join(directory, 'values', name), join(directory, 'values', `${name}.new`));
    expect(await open(directory).get('token', clock)).toBe('secret');
    expect(readdirSync(join(directory, 'values'))).toEqual([name]);
  });

  it('is there when it is opened again, for the time that is left by the wall clock', async () => {
    const directory = temporaryDirectory();
    const before = new ManualClock('2026-01-05T12:00:00Z');
    const first = open(directory);
    await first.set('token', 'secret', 100_000, before);
    await first.remember('handled', ['a', 'b\u2028'], 100_000, before);
    await first.reserve('q', request, before);
    const second = await first.reserve('q', request, before);
    await first.settle('q', idOf(second), 50_000, before);
    await first.shut('closed', 80_000, before);
    await first.close();

    const after = new ManualClock('2026-01-05T12:00:40Z');
    const again = open(directory);
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
    // Of such a time nothing is known; a token and a menu can be had anew.
    ['years', '2020-01-01T00:00:00Z', undefined],
  ])('is not kept longer by a wall clock that was put back %s meanwhile', async (_by, startAt, value) => {
    const directory = temporaryDirectory();
    const first = open(directory);
    const before = new ManualClock('2026-01-05T12:00:00Z');
    await first.reserve('q', request, before);
    await first.set('token', 'secret', 60_000, before);
    await first.close();
    const after = new ManualClock(startAt);
    const again = open(directory);
    expect(await again.get('token', after)).toBe(value);
    await after.advance('60s');
    expect(await again.get('token', after)).toBeUndefined();
    expect(await again.reserve('q', request, after)).toMatchObject({ granted: true, remaining: 0 });
    expect(await again.reserve('q', request, after)).toMatchObject({ waitMs: 30_000, reason: 'quota' });
  });

  it('is dated anew when the wall clock is put while it runs', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock('1970-01-01T00:00:10Z');
    const first = open(directory);
    await first.reserve('q', request, clock);
    await first.remember('handled', ['a'], DAY_MS, clock);
    clock.step(Date.parse('2026-01-05T12:00:00Z'));
    await clock.advance('10s');
    await first.reserve('q', request, clock);
    await first.close();
    const again = open(directory);
    const after = new ManualClock(clock.now());
    expect(await again.reserve('q', request, after)).toMatchObject({ granted: false, waitMs: 80_000 });
    expect(await recalled(again, 'handled', ['a'], after)).toEqual(['a']);
  });

  it('does not mistake slots of one run for those of another', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const first = open(directory);
    const early = idOf(await first.reserve('q', request, clock));
    await first.close();
    const again = open(directory);
    const late = idOf(await again.reserve('q', request, clock));
    expect(late).not.toBe(early);
    await again.settle('q', late, 0, clock);
    expect(await again.reserve('q', request, clock)).toMatchObject({ granted: true, remaining: 0 });
  });

  it('has virtual time wait for the disk', async () => {
    const clock = new ManualClock();
    const state = open(temporaryDirectory());
    const asked = [state.remember('s', ['a'], 1000, clock), state.set('k', 'v', 1000, clock)];
    const doneAt = asked.map((each) => Promise.resolve(each).then(() => clock.monotonic()));
    await clock.advance('1h');
    expect(await Promise.all(doneAt)).toEqual([0, 0]);
  });

  it('is readable by its user only, and names no key', async () => {
    const directory = join(temporaryDirectory(), 'a', 'b');
    const clock = new ManualClock();
    const state = open(directory);
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

  it('is shared by all who name the directory in this process, however they write it', async () => {
    const directory = temporaryDirectory();
    const link = `${directory}-link`;
    symlinkSync(directory, link);
    onTestFinished(() => rmSync(link));
    const state = open(directory);
    expect(fileState(relative(process.cwd(), directory))).toBe(state);
    expect(fileState(link)).toBe(state);
    await state.close();
    await state.close();
    const again = open(directory);
    expect(again).not.toBe(state);
    await expect(recalled(state, 's', [], new ManualClock())).rejects.toMatchObject({
      code: 'state',
      message: expect.stringContaining('is closed'),
    });
  });

  it('is refused where it cannot be: no path, a file, a file on the way', () => {
    for (const dir of ['', undefined, 7, null, 'a\0b'])
      expect(() => fileState(dir as string)).toThrow(ConfigurationError);
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'file'), 'x');
    for (const dir of ['file', 'file/below']) {
      expect(() => fileState(join(directory, dir))).toThrow(StateError);
      expect(() => fileState(join(directory, dir))).toThrow(/give fileState another directory/);
    }
  });

  it('is missed when the directory is removed under it, and made anew by who opens it again', async () => {
    const directory = join(temporaryDirectory(), 'state');
    const clock = new ManualClock();
    const state = open(directory);
    await state.remember('s', ['a'], 1000, clock);
    rmSync(directory, { recursive: true });
    await expect(state.remember('s', ['b'], 1000, clock)).rejects.toMatchObject({ code: 'state' });
    await expect(state.set('s', 'b', 1000, clock)).rejects.toMatchObject({ code: 'state' });
    const again = open(directory);
    expect(again).not.toBe(state);
    await again.remember('s', ['c'], 1000, clock);
    expect(await recalled(again, 's', ['a', 'b', 'c'], clock)).toEqual(['c']);
  });
});

describe('a damaged directory', () => {
  const clock = () => new ManualClock('2026-01-05T12:00:00Z');

  /** A directory in which five batches were remembered, one after another, and the process then died. */
  async function written(): Promise<{ directory: string; journal: string }> {
    const directory = temporaryDirectory();
    const state = fileState(directory);
    for (const id of ['1', '2', '3', '4', '5']) await state.remember('s', [id], DAY_MS, clock());
    await state.close();
    return { directory, journal: join(directory, 'journal') };
  }

  async function idsIn(directory: string): Promise<readonly string[]> {
    const state = fileState(directory);
    try {
      return await recalled(state, 's', ['1', '2', '3', '4', '5'], clock());
    } finally {
      await state.close();
    }
  }

  it('whose journal was torn anywhere has lost what was behind, and nothing before', async () => {
    const { directory, journal } = await written();
    const content = readFileSync(journal);
    const ends = [...content.entries()].filter(([, byte]) => byte === 0x0a).map(([index]) => index);
    expect(ends).toHaveLength(5);
    for (let length = 0; length <= content.length; length += 7) {
      writeFileSync(journal, content.subarray(0, length));
      const whole = ends.filter((end) => end <= length).length;
      expect(await idsIn(directory)).toEqual(['1', '2', '3', '4', '5'].slice(0, whole));
      expect(readdirSync(directory)).not.toContain('journal.damaged');
    }
  });

  it('goes on behind a torn line', async () => {
    const { directory, journal } = await written();
    const content = readFileSync(journal);
    writeFileSync(journal, content.subarray(0, content.length - 20));
    const state = fileState(directory);
    await state.remember('s', ['5'], DAY_MS, clock());
    await state.close();
    expect(await idsIn(directory)).toEqual(['1', '2', '3', '4', '5']);
  });

  it('whose journal is damaged in the middle loses that, and keeps it aside', async () => {
    const { directory, journal } = await written();
    const lines = readFileSync(journal, 'utf8').split('\n');
    const flipped = lines[1]?.replace('"2"', '"7"');
    const damaged = [lines[0], flipped, '\0'.repeat(100), lines[3], '{"kind":"handled"}', lines[4], ''];
    writeFileSync(journal, damaged.join('\n'));
    expect(await idsIn(directory)).toEqual(['1', '4', '5']);
    expect(readFileSync(`${journal}.damaged`, 'utf8')).toBe(damaged.join('\n'));
    expect(readFileSync(journal, 'utf8')).not.toContain('\0');
  });

  it.each([
    ['of another kind', '{"__proto__":{"polluted":true}}\n[1,2]\nnull\n'],
    ['of zeros', '\0'.repeat(4096)],
    ['of another version', '2 00000000 {"kind":"handled","key":"s","until":9e15,"forMs":9e15,"ids":["1"]}\n'],
    ['of bytes that are no text', Buffer.from(Array.from({ length: 2048 }, (_, index) => index % 256))],
  ])('with a journal %s has none', async (_kind, content) => {
    const { directory, journal } = await written();
    writeFileSync(journal, content);
    expect(await idsIn(directory)).toEqual([]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each([
    ['is empty', () => ''],
    ['is torn', (content: string) => content.slice(0, content.length / 2)],
    ['has lost its end', (content: string) => content.slice(0, -3)],
    ['has other bytes', (content: string) => content.replace('value', 'eulav')],
    ['is of another version', (content: string) => content.replace('"version":1', '"version":2')],
    ['is of another key', (content: string) => content.replace('"key":"k"', '"key":"l"')],
    ['has another kind of key', (content: string) => content.replace('"key":"k"', '"key":{}')],
    ['has no time', (content: string) => content.replace(/"until":\d+/, '"until":null')],
    ['is JSON of another kind', () => '{"__proto__":{"polluted":true}}\n"value"\n'],
    ['is null', () => 'null\n'],
    ['is a list', () => '[]\n[]\n'],
  ])('has no value whose file %s, and takes it anew', async (_kind, damage) => {
    const directory = temporaryDirectory();
    const first = fileState(directory);
    await first.set('k', 'value', DAY_MS, clock());
    await first.close();
    const [name = ''] = readdirSync(join(directory, 'values'));
    const path = join(directory, 'values', name);
    const damaged = damage(readFileSync(path, 'utf8'));
    expect(damaged).not.toBe(readFileSync(path, 'utf8'));
    writeFileSync(path, damaged);
    const state = open(directory);
    expect(await state.get('k', clock())).toBeUndefined();
    await state.delete('k', 'value', clock());
    await state.set('k', 'new', DAY_MS, clock());
    expect(await state.get('k', clock())).toBe('new');
  });

  it('is told of where a file of ours cannot be read at all', async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'journal'));
    const state = open(directory);
    for (let count = 0; count < 2; count += 1)
      await expect(recalled(state, 's', [], clock())).rejects.toMatchObject({ code: 'state' });
    rmSync(join(directory, 'journal'), { recursive: true });
    expect(await recalled(state, 's', [], clock())).toEqual([]);
  });
});

describe('a client over a directory', () => {
  it('that stops and comes back at once goes on with its token, its quotas, its events and its menu', async () => {
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

  it('that is killed at any moment, over and over, keeps the limits of the hub', async () => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock, latencyMs: 400, tokenLifetimeMs: 300_000 });
    let seed = 20260105;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % below;
    };
    let directory = temporaryDirectory();
    for (let run = 0; run < 60; run += 1) {
      const state = fileState(directory);
      const { hub } = clientOf(mock, { clock, state });
      if (run % 3 === 0) mock.faults.next('polling', 'hang');
      if (run % 4 === 0) mock.faults.next('token', 'hang');
      for (const call of [hub.events.poll(), hub.events.poll(), hub.auth.renew()]) call.catch(() => {});
      await clock.advance(random(2) ? random(1500) : random(60_000));
      // What a kill leaves is what is on the disk at that moment; what the process does after it, is nowhere.
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

  it('is one of two that share quota and token by naming the same directory', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const one = clientOf(mock, { clock, state: open(directory) });
    const two = clientOf(mock, { clock, state: fileState(directory), rateLimit: { mode: 'throw' } });
    await one.hub.events.poll();
    await two.hub.events.poll();
    await expect(two.hub.events.poll()).rejects.toMatchObject({ code: 'rate_limit', origin: 'local' });
    expect(requestsTo(mock, 'token')).toHaveLength(1);
    expect([...one.log, ...two.log]).toEqual([]);
  });
});
