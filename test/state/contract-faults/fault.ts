import type { Clock, State } from 'opendelivery-client';
import { memoryState } from '../../../src/state/memory-state.js';
import { STATE_METHODS } from '../../../src/state/port.js';

/** Replaces methods of a correct state by wrong ones. */
export type Break = (state: State) => Partial<State>;

/** An adapter with one fault, and the case of `stateContract` that finds it. */
export interface Fault {
  readonly rule: string;
  readonly fault: string;
  readonly breaks: Break;
  /** Only the second state is wrong. */
  readonly onlySecond?: boolean;
}

/** The faults that one case finds. */
export function faultsOf(rule: string, faults: Readonly<Record<string, Break>>): Fault[] {
  return Object.entries(faults).map(([fault, breaks]) => ({ rule, fault, breaks }));
}

export function faultsOfSecond(rule: string, faults: Readonly<Record<string, Break>>): Fault[] {
  return faultsOf(rule, faults).map((fault) => ({ ...fault, onlySecond: true }));
}

export function open({ breaks, onlySecond = false }: Fault) {
  const correct = bound(memoryState());
  const broken = () => ({ ...correct, ...breaks(correct) });
  const state = onlySecond ? correct : broken();
  return { state, reopen: async () => (onlySecond ? broken() : state), close: async () => {} };
}

/** The methods as functions that need no `this`. */
function bound(state: State): State {
  const methods = STATE_METHODS.map((name) => [name, (state[name] as () => unknown).bind(state)]);
  return Object.fromEntries(methods) as State;
}

/** A state that gets another clock than its caller's. */
export const withClock =
  (change: (clock: Clock) => Clock): Break =>
  (state) =>
    Object.fromEntries(
      STATE_METHODS.map((name) => [
        name,
        (...parameters: unknown[]) =>
          (state[name] as (...all: unknown[]) => unknown)(
            ...parameters.slice(0, -1),
            change(parameters.at(-1) as Clock),
          ),
      ]),
    );

export const tick = () => Promise.resolve();
