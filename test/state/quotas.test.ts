import fc from 'fast-check';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { Leases } from '../../src/state/leases.js';
import { Quotas, reserveUnderLease } from '../../src/state/quotas.js';

const request = { limit: 2, holdMs: 1000 };

describe('Quotas', () => {
  it('waits for the slot that frees first', () => {
    const quotas = new Quotas();
    quotas.settle('q', 'late', 900, 0);
    quotas.settle('q', 'early', 300, 0);
    expect(quotas.reserve('q', request, 100)).toEqual({ granted: false, waitMs: 200, reason: 'quota' });
    expect(quotas.reserve('q', request, 300)).toEqual({ granted: true, id: '1', remaining: 0 });
  });

  it('frees a slot at the end of its time and never earlier, whatever fractions the clock shows', () => {
    // Near a power of two the sum of an instant and a time loses a bit of its fraction.
    const instant = fc
      .tuple(fc.integer({ min: 20, max: 45 }), fc.double({ min: 0, max: 90_000, noNaN: true }))
      .map(([exponent, before]) => 2 ** exponent - before);
    const time = fc.double({ min: 1, max: 90_000, noNaN: true });
    fc.assert(
      fc.property(instant, time, (now, ms) => {
        const quotas = new Quotas();
        quotas.settle('q', 'settled', ms, now);
        // The difference of two near numbers is exact.
        let tooEarly = now + ms;
        while (tooEarly - now >= ms) tooEarly *= 1 - Number.EPSILON / 2;
        expect(quotas.reserve('q', { limit: 1, holdMs: 1 }, tooEarly).granted).toBe(false);
        expect(quotas.reserve('q', { limit: 1, holdMs: 1 }, now + ms + 2).granted).toBe(true);
      }),
      { examples: [[67_071_714.76016883, 60_000]] },
    );
  });

  it('gives each slot another id, with the prefix of this run', () => {
    const quotas = new Quotas('run:');
    const ids = ['q', 'q', 'other'].map((key) => quotas.reserve(key, request, 0));
    expect(ids).toMatchObject([{ id: 'run:1' }, { id: 'run:2' }, { id: 'run:3' }]);
  });

  it('names the shut as reason even if all slots are taken', () => {
    const quotas = new Quotas();
    quotas.reserve('q', { limit: 1, holdMs: 9000 }, 0);
    quotas.shut('q', 500, 0);
    expect(quotas.reserve('q', { limit: 1, holdMs: 1 }, 100)).toMatchObject({ waitMs: 400, reason: 'shut' });
  });

  it('lists the slots and shuts that have not ended, so that another object can restore them', () => {
    const quotas = new Quotas('a');
    quotas.reserve('q', request, 0);
    quotas.settle('q', 'x', 100, 0);
    quotas.shut('q', 500, 0);
    quotas.shut('ended', 100, 0);
    const records = [...quotas.records(200)];
    expect(records).toEqual([
      { kind: 'shut', key: 'q', forMs: 300 },
      { kind: 'slot', key: 'q', id: 'a1', forMs: 800 },
    ]);
    const restored = new Quotas('b');
    for (const record of records) {
      if (record.kind === 'shut') restored.shut(record.key, record.forMs, 5000);
      else restored.settle(record.key, record.id, record.forMs, 5000);
    }
    expect([...restored.records(5000)]).toEqual(records);
  });
});

it('reserveUnderLease takes no slot without the lease, and renews the lease without a slot', () => {
  const [quotas, leases, clock] = [new Quotas(), new Leases(), new ManualClock()];
  const reserve = (holder: string) =>
    reserveUnderLease(
      quotas,
      leases,
      'q',
      { limit: 1, holdMs: 60_000, lease: { holder, leaseMs: 45_000 } },
      clock,
    );
  const fence = clock.now();
  expect(reserve('a')).toEqual({ granted: true, id: '1', remaining: 0, fence });
  expect(reserve('b')).toEqual({ granted: false, waitMs: 45_000, reason: 'leased' });
  clock.step(1);
  expect(reserve('a')).toEqual({ granted: false, waitMs: 60_000, reason: 'quota', fence });
});
