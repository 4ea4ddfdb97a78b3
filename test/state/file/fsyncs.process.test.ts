/** @module-tag slow */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isProgramMissing } from '../../program-missing.js';
import { child } from './processes.js';
import { DAY_MS, idsFrom, temporaryDirectory } from './support.js';

const lifetimes = { handledMs: DAY_MS, attemptedMs: DAY_MS };
const handled = { handled: true, forMs: DAY_MS };
const poll = { limit: 100, holdMs: 95_000, lease: { holder: 'a', leaseMs: 45_000 } };

/** A process with an open state, whose syncs are counted. */
async function counted() {
  const log = join(temporaryDirectory(), 'strace.log');
  const process = child(temporaryDirectory(), ['strace', '-f', '-e', 'trace=fsync,fdatasync', '-o', log]);
  await process.tell('open');
  const call = (...order: readonly unknown[]) => process.tell('call', ...order);
  // The first poll writes a fence.
  await call('reserve', 'q', poll);
  let before = 0;
  /** The number of syncs since the last call. */
  const taken = () => {
    const { length } = readFileSync(log, 'utf8').match(/f(?:data)?sync\(/g) ?? [];
    const count = length - before;
    before = length;
    return count;
  };
  taken();
  return { call, taken };
}

describe.skipIf(isProgramMissing('strace'))('the syncs of fileState', () => {
  it('are none for an idle poll, nor for a renewed lease, a value or a renewed mark', async () => {
    const { call, taken } = await counted();
    for (let round = 0; round < 5; round += 1) {
      const { id } = (await call('reserve', 'q', poll)) as { id: string };
      await call('recall', 'events:s', [], lifetimes);
      await call('settle', 'q', { id, freeInMs: 60_000 });
      await call('lease', 'q', poll.lease);
      await call('set', 'k', 'v', { forMs: DAY_MS });
      await call('recall', 'events:s', ['1'], lifetimes);
    }
    expect(taken()).toBe(0);
  });

  it('are one before each of these resolves', async () => {
    const { call, taken } = await counted();
    const orders = [
      ['mark', 'events:s', ['1'], handled],
      ['mark', 'events:s', ['2'], { attempts: 1, forMs: DAY_MS }],
      ['recall', 'events:s', ['3'], { ...lifetimes, count: { ids: ['3'], below: 1 } }],
      ['lease', 'other', poll.lease],
      ['lease', 'q', { holder: 'a', leaseMs: 0 }],
      ['reserve', 'q', poll],
    ];
    const counts: unknown[] = [];
    for (const order of orders) {
      await call(...order);
      counts.push([order[0], taken()]);
    }
    expect(counts).toEqual([
      ['mark', 1],
      ['mark', 1],
      ['recall', 1],
      ['lease', 1],
      // A release needs none: the next fence is greater anyway.
      ['lease', 0],
      ['reserve', 1],
    ]);
  });

  it('of a poll with a thousand events, marked in batches of two hundred, are at most fourteen', async () => {
    const { call, taken } = await counted();
    for (let round = 0; round < 15; round += 1) {
      const ids = idsFrom(round * 1000, 1000);
      const { id } = (await call('reserve', 'q', poll)) as { id: string };
      await call('recall', 'events:s', ids, { ...lifetimes, count: { ids, below: 1 } });
      await call('settle', 'q', { id, freeInMs: 60_000 });
      for (let start = 0; start < 1000; start += 200)
        await call('mark', 'events:s', ids.slice(start, start + 200), handled);
      const count = taken();
      // Six, and two for each time when SQLite copies its log into the database.
      expect(count).toBeGreaterThanOrEqual(6);
      expect(count).toBeLessThanOrEqual(14);
    }
  });
});
