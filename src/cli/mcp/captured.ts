import { Writable } from 'node:stream';
import type { Command } from 'commander';
import type { Clock } from '../../time/clock.js';
import { describeError } from '../describe-error.js';
import { Terminal } from '../terminal.js';

const MAX_ERROR_LENGTH = 1000;

/** A terminal for a command that a tool runs: what it writes is kept, and nothing of it reaches the process's stdout. */
export class Captured {
  readonly terminal: Terminal;
  readonly #written = { out: '', err: '' };
  #onWrite = () => {};

  constructor(clock: Clock) {
    this.terminal = new Terminal({ out: this.#stream('out'), err: this.#stream('err'), env: {}, clock });
  }

  get out(): string {
    return this.#written.out;
  }

  /** The lines of stderr. */
  get notes(): readonly string[] {
    return this.#written.err.split('\n').filter((line) => line.trim() !== '');
  }

  /** Resolves when stderr contains this text. */
  wrote(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#onWrite = () => {
        if (this.#written.err.includes(text)) resolve();
      };
      this.#onWrite();
    });
  }

  /** @throws {Error} the command failed; its message is what the command line would print. */
  async run(command: Command, args: readonly string[]): Promise<void> {
    try {
      await command.exitOverride().parseAsync(args, { from: 'user' });
    } catch (error) {
      throw new Error(this.terminal.truncate(describeError(error), MAX_ERROR_LENGTH));
    }
  }

  #stream(name: 'out' | 'err'): Writable {
    return new Writable({
      write: (chunk, _encoding, done) => {
        this.#written[name] += String(chunk);
        done();
        this.#onWrite();
      },
    });
  }
}
