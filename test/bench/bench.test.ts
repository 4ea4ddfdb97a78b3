import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compared, medianOf } from './bench.js';
import { JumpClock } from './contenders/jump-clock.js';
import { installedSize } from './installed-size.js';
import { printed } from './print.js';
import { sideBySide } from './side-by-side.js';

describe('a comparison', () => {
  it('gives each contender one turn per round, and compares with the first', async () => {
    const turns: string[] = [];
    const rows = await sideBySide(
      ['a', 'b', 'c'].map((name) => ({ name, run: () => turns.push(name) })),
      { rounds: 5, warmUp: 0 },
    );
    expect(rows.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(rows[0]?.ratio).toBe(1);
    for (let round = 0; round < 5; round += 1) {
      expect(turns.slice(round * 3, round * 3 + 3).sort()).toEqual(['a', 'b', 'c']);
    }
  });

  it('leaves a row without a figure as it is', () => {
    const missing = { name: 'c', note: 'needs redis-server' };
    expect(compared([{ name: 'a', median: 2 }, { name: 'b', median: 5 }, missing])).toEqual([
      { name: 'a', median: 2, ratio: 1 },
      { name: 'b', median: 5, ratio: 2.5 },
      missing,
    ]);
  });

  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[7], 7],
  ])('the median of %j is %d', (values, median) => {
    expect(medianOf(values)).toBe(median);
  });
});

describe('a table', () => {
  it('says which rows reach their goal, and why a row has no figure', () => {
    const rows = [
      { name: 'undici', median: 1.5, ratio: 1 },
      { name: 'ours', median: 2.4, ratio: 1.6, goal: { ratio: 2 } },
      { name: 'ours, async', median: 6, ratio: 4, goal: { ratio: 3 } },
      { name: 'in a fleet', median: 900, goal: { median: 1024 } },
      { name: 'got', note: 'got is not installed' },
    ];
    expect(printed({ title: 'CPU', unit: 'µs', rows }).split('\n').slice(1)).toEqual([
      '  CPU',
      '  undici          1.500 µs    1.00x',
      '  ours            2.400 µs    1.60x  reaches the goal of 2.00x',
      '  ours, async     6.000 µs    4.00x  MISSES the goal of 3.00x',
      '  in a fleet    900.000 µs  reaches the goal of 1024 µs',
      '  got          got is not installed',
    ]);
  });
});

describe('the clock that jumps', () => {
  it('ends the sleeps that are due after a jump, and no others', async () => {
    const clock = new JumpClock();
    const ended: string[] = [];
    const controller = new AbortController();
    const short = clock.sleep(30_000).then(() => ended.push('short'));
    const long = clock.sleep(90_000, controller.signal).then(
      () => ended.push('long'),
      (reason: unknown) => ended.push(String(reason)),
    );
    const [now, monotonic] = [clock.now(), clock.monotonic()];
    clock.jump(31_000);
    await short;
    expect(ended).toEqual(['short']);
    expect(clock.now() - now).toBeGreaterThanOrEqual(31_000);
    expect(clock.monotonic() - monotonic).toBeGreaterThanOrEqual(31_000);
    controller.abort('aborted');
    await long;
    clock.jump(90_000);
    expect(ended).toEqual(['short', 'aborted']);
  });
});

describe('the size of an installation', () => {
  it('counts every package once, and what is not installed not at all', () => {
    const folder = mkdtempSync(join(tmpdir(), 'opendelivery-size-'));
    const add = (path: string, dependencies: Record<string, string>, bytes: number) => {
      mkdirSync(join(folder, path), { recursive: true });
      const manifest = JSON.stringify({ dependencies });
      writeFileSync(join(folder, path, 'package.json'), manifest);
      writeFileSync(join(folder, path, 'index.js'), 'x'.repeat(bytes - manifest.length));
    };
    try {
      add('node_modules/app', { a: '1', b: '1', absent: '1' }, 1000);
      add('node_modules/a', { b: '1' }, 200);
      add('node_modules/b', {}, 300);
      add('node_modules/a/node_modules/b', { a: '1' }, 400);
      expect(installedSize(join(folder, 'node_modules/app'))).toEqual({ packages: 4, bytes: 1900 });
      expect(installedSize(join(folder, 'node_modules/app'), 10)).toEqual({ packages: 4, bytes: 910 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
