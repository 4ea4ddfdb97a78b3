import type { Clock } from '../clock.js';

/** What a command has around it: the process's own, or a test's. */
export interface Surroundings {
  readonly out: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly err: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
}

const SGR = { red: 31, green: 32, yellow: 33, cyan: 36, bold: 1, dim: 2 } as const;

export type Colour = keyof typeof SGR;

/**
 * Lines on stdout, remarks on stderr, and at a terminal one line below them
 * that moves while the program waits. A pipe gets neither colour nor that line.
 */
export class Terminal {
  readonly #around: Surroundings;
  #status = '';

  constructor(around: Surroundings) {
    this.#around = around;
  }

  get clock(): Clock {
    return this.#around.clock;
  }

  get isInteractive(): boolean {
    return this.#around.err.isTTY === true && this.#around.env.TERM !== 'dumb';
  }

  /** Resolves when the line is written: a pipe that is closed or full does not take it. */
  line(text: string): Promise<void> {
    return this.#write(this.#around.out, text);
  }

  /** A remark for the person: not part of what a pipe reads. */
  remark(text: string): void {
    this.#write(this.#around.err, text).catch(() => {});
  }

  /** Colours a text of `line`; `remark` where the second stream is meant. */
  paint(colour: Colour, text: string, stream: 'out' | 'err' = 'out'): string {
    const { env, [stream]: target } = this.#around;
    const wanted = env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : target.isTTY === true && env.TERM !== 'dumb';
    return wanted && !env.NO_COLOR ? `\u001b[${SGR[colour]}m${text}\u001b[0m` : text;
  }

  /** Shows what `say` says, once a second of real time, until the signal aborts. */
  async watch(signal: AbortSignal, say: () => string): Promise<void> {
    if (!this.isInteractive) return;
    try {
      while (!signal.aborted) {
        this.#show(say());
        await this.clock.sleep(1000, signal);
      }
    } catch {
      // Aborted: there is nothing more to show.
    }
    this.#show('');
  }

  #show(status: string): void {
    this.#status = status.slice(0, Math.max(0, (this.#around.err.columns || 80) - 1));
    this.#around.err.write(`\r\u001b[2K${this.#status}`);
  }

  #write(stream: NodeJS.WritableStream, text: string): Promise<void> {
    if (this.#status !== '') this.#around.err.write('\r\u001b[2K');
    return new Promise((resolve, reject) => {
      stream.write(`${text}\n`, (error?: Error | null) => {
        if (error) return reject(error);
        if (this.#status !== '') this.#around.err.write(this.#status);
        resolve();
      });
    });
  }
}
