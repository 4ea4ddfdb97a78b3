import { describe, expect, it } from 'vitest';
import { Leases } from '../../src/state/leases.js';

const a = { holder: 'a', leaseMs: 1000 };
const b = { holder: 'b', leaseMs: 1000 };

describe('Leases', () => {
  it('refuses another holder until the lease has ended', () => {
    const leases = new Leases();
    leases.acquire('k', a, 0, 50);
    expect(leases.acquire('k', b, 999, 50)).toEqual({ granted: false, waitMs: 1 });
    expect(leases.acquire('k', b, 1000, 50)).toMatchObject({ granted: true });
  });

  it('uses the time in whole ms as fence, or the last fence plus one if that is greater', () => {
    const leases = new Leases();
    expect(leases.acquire('k', a, 0, 50.9)).toEqual({ granted: true, fence: 50 });
    expect(leases.acquire('k', a, 500, 90)).toEqual({ granted: true, fence: 50 });
    expect(leases.acquire('k', b, 1500, 10)).toEqual({ granted: true, fence: 51 });
    expect(leases.acquire('k', a, 2500, 90)).toEqual({ granted: true, fence: 90 });
  });

  it('gives a new fence after a release, also to the same holder', () => {
    const leases = new Leases();
    leases.acquire('k', a, 0, 50);
    leases.release('k', 'b');
    expect(leases.acquire('k', b, 0, 50)).toMatchObject({ granted: false });
    leases.release('k', 'a');
    expect(leases.acquire('k', a, 0, 50)).toEqual({ granted: true, fence: 51 });
  });

  it('continues after a restored fence', () => {
    const leases = new Leases();
    expect(leases.fenceOf('k')).toBe(0);
    leases.restore('k', 70);
    expect([...leases.fences()]).toEqual([{ key: 'k', fence: 70 }]);
    expect(leases.acquire('k', a, 0, 50)).toEqual({ granted: true, fence: 71 });
    expect(leases.fenceOf('k')).toBe(71);
  });
});
