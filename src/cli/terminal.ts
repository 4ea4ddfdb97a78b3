import type { Clock } from '../clock.js';
import { Redactor } from '../secrets/redactor.js';
import { withEscapedControls, withoutControls } from './control-characters.js';
import { coloured, Styled } from './styled.js';
import { wrapped } from './wrap.js';

/** What a command has around it: the process's own, or a test's. */
export interface Surroundings {
  readonly out: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly err: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
}

/**
 * The only place that writes. Every text, wherever it came from, loses its
 * secrets and its control characters here; colours are added afterwards.
 *
 * Lines go to stdout, remarks to stderr; at a terminal, one line below them
 * shows what the program is waiting for. A pipe gets neither colour nor that line.
 */
export class Terminal {
  readonly #around: Surroundings;
  #status = '';

  /** Learns the secrets of the connection; see `connect`. */
  readonly redactor = new Redactor();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  get clock(): Clock {
    return this.#around.clock;
  }

  get isInteractive(): boolean {
    return this.#around.err.isTTY === true && this.#around.env.TERM !== 'dumb';
  }

  /** The width of stdout; a pipe is as wide as it is long. */
  get columns(): number {
    return this.#columns('out');
  }

  /** Resolves when the line is written; rejects when the pipe is closed. */
  line(text: string | Styled): Promise<void> {
    return this.#write('out', this.#rendered('out', text));
  }

  /** A line to be copied: a terminal breaks it where it ends, and not between words. */
  unwrapped(text: string): Promise<void> {
    return this.#write('out', this.#clean(text));
  }

  /** One JSON document: control characters are escaped in it, not replaced. */
  json(value: unknown, indent?: number): Promise<void> {
    return this.#write('out', withEscapedControls(this.#maskedJson(value, indent)));
  }

  /** A text of several lines. */
  page(text: string): Promise<void> {
    return this.#write('out', this.cleanPage(text));
  }

  /** A remark for the person: not part of what a pipe reads. */
  remark(text: string | Styled): void {
    this.#write('err', this.#rendered('err', text)).catch(() => {});
  }

  /** Help and complaints of the option parser, which bring their own line breaks. */
  verbatim(stream: 'out' | 'err', text: string): void {
    this.#write(stream, this.cleanPage(text.replace(/\n$/, ''))).catch(() => {});
  }

  /** A text of several lines as `page` writes it, for a file. */
  cleanPage(text: string): string {
    return text
      .split('\n')
      .map((line) => this.#clean(line))
      .join('\n');
  }

  /** At most so many characters of a text. Masked before it is cut: half a secret is not recognized any more. */
  quote(text: string, max: number): string {
    const clean = [...this.#clean(text)];
    return clean.length > max ? `${clean.slice(0, max).join('')}…` : clean.join('');
  }

  /** A copy of plain data without secrets, for code that cuts or quotes it. */
  masked<T>(value: T): T {
    return JSON.parse(this.#maskedJson(value)) as T;
  }

  /** Says at a terminal what is being waited for, and how long. */
  async during<T>(what: string, work: () => Promise<T>): Promise<T> {
    const over = new AbortController();
    const startedAt = this.clock.monotonic();
    const watching = this.watch(
      over.signal,
      () => `${what}, ${Math.round((this.clock.monotonic() - startedAt) / 1000)} s`,
    );
    try {
      return await work();
    } finally {
      over.abort();
      await watching;
    }
  }

  /** Shows what `say` returns, once a second of real time, until the signal aborts. */
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
    const columns = this.#around.err.columns || 80;
    this.#status = this.#clean(status).slice(0, Math.max(0, columns - 1));
    this.#around.err.write(`\r\u001b[2K${this.#status}`);
  }

  #clean(text: string): string {
    return withoutControls(this.redactor.mask(text));
  }

  #rendered(stream: 'out' | 'err', text: string | Styled): string {
    const { parts } = text instanceof Styled ? text : new Styled([{ text }]);
    const clean = new Styled(parts.map((part) => ({ ...part, text: this.#clean(part.text) })));
    const withColours = this.#hasColours(stream);
    return wrapped(clean, this.#columns(stream))
      .map((line) =>
        line.parts
          .map((part) => (withColours && part.colour ? coloured(part.colour, part.text) : part.text))
          .join(''),
      )
      .join('\n');
  }

  #columns(stream: 'out' | 'err'): number {
    const { isTTY, columns } = this.#around[stream];
    return (isTTY && columns) || Number.POSITIVE_INFINITY;
  }

  #hasColours(stream: 'out' | 'err'): boolean {
    const { env, [stream]: target } = this.#around;
    const wanted = env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : target.isTTY === true && env.TERM !== 'dumb';
    return wanted && !env.NO_COLOR;
  }

  #maskedJson(value: unknown, indent?: number): string {
    const mask = (text: string) => this.redactor.mask(text);
    return JSON.stringify(
      value,
      (_, each: unknown) => {
        if (typeof each === 'string') return mask(each);
        if (typeof each === 'number') return mask(String(each)) === String(each) ? each : mask(String(each));
        if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
        const keys = Object.keys(each);
        if (keys.every((key) => mask(key) === key)) return each;
        return Object.fromEntries(Object.entries(each).map(([key, entry]) => [mask(key), entry]));
      },
      indent,
    );
  }

  #write(stream: 'out' | 'err', text: string): Promise<void> {
    if (this.#status !== '') this.#around.err.write('\r\u001b[2K');
    return new Promise((resolve, reject) => {
      this.#around[stream].write(`${text}\n`, (error?: Error | null) => {
        if (error) return reject(error);
        // The status may have been shown again meanwhile.
        if (this.#status !== '') this.#around.err.write(`\r\u001b[2K${this.#status}`);
        resolve();
      });
    });
  }
}
