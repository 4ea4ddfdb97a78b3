import { stateContract } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { CLOCK_FAULTS } from './contract-faults/clocks.js';
import { COUNT_FAULTS } from './contract-faults/counts.js';
import { open } from './contract-faults/fault.js';
import { LEASE_FAULTS } from './contract-faults/leases.js';
import { MARK_FAULTS } from './contract-faults/marks.js';
import { QUOTA_FAULTS } from './contract-faults/quotas.js';
import { REOPEN_FAULTS } from './contract-faults/reopened.js';
import { SHUT_FAULTS } from './contract-faults/shuts.js';
import { VALUE_FAULTS } from './contract-faults/values.js';

const FAULTS = [
  ...VALUE_FAULTS,
  ...QUOTA_FAULTS,
  ...SHUT_FAULTS,
  ...LEASE_FAULTS,
  ...MARK_FAULTS,
  ...COUNT_FAULTS,
  ...CLOCK_FAULTS,
  ...REOPEN_FAULTS,
];

describe('the case that finds a fault of an adapter', () => {
  for (const fault of FAULTS) {
    it(`${fault.rule}: ${fault.fault}`, async () => {
      const found = stateContract(() => open(fault)).find(({ name }) => name === fault.rule);
      await expect(found?.run()).rejects.toThrow(fault.rule);
    });
  }

  it('exists for every case', () => {
    const names = stateContract(() => open(FAULTS[0] as never)).map(({ name }) => name);
    const known = FAULTS.map(({ rule }) => rule);
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });
});
