import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { DAY_MS, filesIn, openState, temporaryDirectory } from './support.js';

describe('a value in a file', () => {
  it('is not read from a file that a crash left half written', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const first = openState(directory);
    await first.set('token', 'secret', 100_000, clock);
    await first.close();
    const [name = ''] = readdirSync(join(directory, 'values'));
    cpSync(join(directory, 'values', name), join(directory, 'values', `${name}.new`));
    expect(await openState(directory).get('token', clock)).toBe('secret');
    expect(readdirSync(join(directory, 'values'))).toEqual([name]);
  });

  it.each([
    ['is empty', () => ''],
    ['was cut in the middle', (content: string) => content.slice(0, content.length / 2)],
    ['was cut near its end', (content: string) => content.slice(0, -3)],
    ['has changed bytes', (content: string) => content.replace('value', 'eulav')],
    ['has another version', (content: string) => content.replace('"version":1', '"version":2')],
    ['has another key', (content: string) => content.replace('"key":"k"', '"key":"l"')],
    ['has a key of another type', (content: string) => content.replace('"key":"k"', '"key":{}')],
    ['has no expiry', (content: string) => content.replace(/"until":\d+/, '"until":null')],
    ['is other JSON', () => '{"__proto__":{"polluted":true}}\n"value"\n'],
    ['is null', () => 'null\n'],
    ['is an array', () => '[]\n[]\n'],
  ])('is absent if its file %s, and can be written again', async (_kind, damage) => {
    const directory = temporaryDirectory();
    const first = fileState(directory);
    await first.set('k', 'value', DAY_MS, new ManualClock());
    await first.close();
    const [name = ''] = readdirSync(join(directory, 'values'));
    const path = join(directory, 'values', name);
    const damaged = damage(readFileSync(path, 'utf8'));
    expect(damaged).not.toBe(readFileSync(path, 'utf8'));
    writeFileSync(path, damaged);
    const state = openState(directory);
    expect(await state.get('k', new ManualClock())).toBeUndefined();
    await state.delete('k', 'value', new ManualClock());
    await state.set('k', 'new', DAY_MS, new ManualClock());
    expect(await state.get('k', new ManualClock())).toBe('new');
  });

  it('is removed after its expiry when the state is opened, also for stores that are never used again', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const state = openState(directory);
    for (let store = 0; store < 10; store += 1)
      await state.set(`merchant:${store}`, 'menu', store < 6 ? 1000 : DAY_MS, clock);
    writeFileSync(join(directory, 'values', 'of-another'), 'kept');
    await state.close();
    await clock.advance('1s');
    await openState(directory).get('merchant:9', clock);
    const names = filesIn(join(directory, 'values')).slice(1);
    expect(names).toHaveLength(5);
    expect(names.some((path) => path.endsWith('of-another'))).toBe(true);
  });
});
