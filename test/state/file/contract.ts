import { type OpenState, stateContract } from 'opendelivery-client/testing';
import type { fileState } from '../../../src/state/sqlite/file-state.js';
import { itHolds } from '../contract.js';
import { forgetOpenStates, temporaryDirectory } from './support.js';

/** Two connections to one file, as two processes have them. */
export function openWith(open: typeof fileState): OpenState {
  return () => {
    const directory = temporaryDirectory();
    const states = [open(directory)];
    return {
      state: states[0] as ReturnType<typeof fileState>,
      async reopen() {
        forgetOpenStates();
        const state = open(directory);
        states.push(state);
        return state;
      },
      close: async () => void (await Promise.all(states.map((state) => state.close()))),
    };
  };
}

/** The cases of `stateContract` as tests. */
export const itKeepsTheContract = (open: typeof fileState): void => itHolds(stateContract(openWith(open)));
