import type { State } from 'opendelivery-client';
import { memoryState } from '../../../src/state/memory-state.js';
import { STATE_METHODS } from '../../../src/state/port.js';
import type { AnyCall, Break } from './breaks.js';
import { CLOCKS, SECOND } from './clocks-and-two-states.js';
import { COUNTS, LEASES, MARKS } from './leases-and-marks.js';
import { QUOTAS, SHUTS, VALUES } from './values-and-quotas.js';

/** An adapter with one fault, and the case of `stateContract` that finds it. */
interface Fault {
  readonly rule: string;
  readonly fault: string;
  readonly breaks: Break;
}

export const FAULTS: readonly Fault[] = [VALUES, QUOTAS, SHUTS, LEASES, MARKS, COUNTS, CLOCKS, SECOND]
  .flatMap((faults) => Object.entries(faults))
  .flatMap(([rule, faults]) => Object.entries(faults).map(([fault, breaks]) => ({ rule, fault, breaks })));

/** Opens a state with the fault, for the contract. */
export function open({ rule, breaks }: Fault) {
  const own = memoryState();
  const correct = Object.fromEntries(
    STATE_METHODS.map((name) => [name, (own[name] as AnyCall).bind(own)]),
  ) as unknown as State;
  const broken = { ...correct, ...breaks(correct) };
  const isSecond = rule in SECOND;
  return { state: isSecond ? correct : broken, reopen: async () => broken, close: async () => {} };
}
