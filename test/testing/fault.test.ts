import { describe, expect, it } from 'vitest';
import { type Fault, type FaultLike, toFault } from '../../src/testing/fault.js';

describe('toFault', () => {
  it.each<[FaultLike, Fault]>([
    [503, { type: 'status', status: 503 }],
    ['reset', { type: 'reset' }],
    [
      { type: 'latency', ms: 0 },
      { type: 'latency', ms: 0 },
    ],
    [
      { status: 429, headers: { 'retry-after': '7' } },
      { type: 'status', status: 429, headers: { 'retry-after': '7' } },
    ],
  ])('expands %j', (short, fault) => {
    expect(toFault(short)).toEqual(fault);
  });

  it.each([
    ['explode', /'explode' is not a fault; the faults are .*truncate/],
    [{}, /'undefined' is not a fault/],
    [null, /'undefined' is not a fault/],
    [199, /needs a status from 200 to 599, not 199/],
    [{ status: '500' }, /needs a status from 200 to 599, not 500/],
    [{ type: 'latency', ms: -1 }, /needs ms of at least 0, not -1/],
  ])('refuses %j', (value, message) => {
    expect(() => toFault(value as FaultLike)).toThrow(message);
  });
});
