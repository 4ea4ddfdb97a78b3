import type { Clock } from '../time/clock.js';

/** The streams, variables and clock of a command: those of the process, or a test's. */
export interface Io {
  readonly out: NodeJS.WritableStream & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  };
  readonly err: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  /** Where answers come from. Absent: nobody answers. */
  readonly in?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
}
