import { memoryState } from 'opendelivery-client';
import { stateContract } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { difference } from '../../src/testing/state-contract/compare.js';
import { FAULTS, open } from './contract-faults/faults.js';

describe('the case that finds a fault of an adapter', () => {
  for (const fault of FAULTS) {
    it(`${fault.rule}: ${fault.fault}`, async () => {
      const found = stateContract(() => open(fault)).find(({ name }) => name === fault.rule);
      await expect(found?.run()).rejects.toThrow(fault.rule);
    });
  }

  it('names the first mark that differs, also if there are too many', () => {
    const expected = Array.from({ length: 100 }, (_, attempts) => ({ handled: false, attempts }));
    const extra = { handled: true, attempts: 100 };
    expect(difference([...expected, extra], expected)).toMatch(
      /at index 100:[\s\S]*expected: undefined[\s\S]*attempts/,
    );
  });

  it('runs, after one that could not open its state', async () => {
    let opened = 0;
    const cases = stateContract(() => {
      opened += 1;
      if (opened === 1) throw new Error('the database is still starting');
      return { state: memoryState(), close: async () => {} };
    });
    await expect(cases[0]?.run()).rejects.toThrow('the database is still starting');
    await cases[0]?.run();
  });

  it('exists for every case', () => {
    const names = stateContract(() => open(FAULTS[0] as never)).map(({ name }) => name);
    expect(names.filter((name) => !FAULTS.some(({ rule }) => rule === name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });
});
