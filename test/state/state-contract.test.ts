import { stateContract } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { FAULTS, open } from './contract-faults/faults.js';

describe('the case that finds a fault of an adapter', () => {
  for (const fault of FAULTS) {
    it(`${fault.rule}: ${fault.fault}`, async () => {
      const found = stateContract(() => open(fault)).find(({ name }) => name === fault.rule);
      await expect(found?.run()).rejects.toThrow(fault.rule);
    });
  }

  it('exists for every case', () => {
    const names = stateContract(() => open(FAULTS[0] as never)).map(({ name }) => name);
    expect(names.filter((name) => !FAULTS.some(({ rule }) => rule === name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });
});
