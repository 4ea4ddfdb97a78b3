import { createInterface } from 'node:readline/promises';
import { ConfigurationError } from '../errors/index.js';
import { Redactor } from '../observe/redactor.js';
import type { Clock } from '../time/clock.js';
import { escapeControl, stripControl } from './format.js';
import { coloured, cut, paint, Styled, wrap } from './styled.js';

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

const MAX_WARNING_LENGTH = 500;
const YES = /^(?:y|yes|s|sim)$/i;
const NO = /^(?:n|no|não|nao)$/i;
const CLEAR_LINE = '\r\u001b[2K';
/** The alternate screen, without the cursor and without wrapping, and back. */
const OPEN_SCREEN = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const CLOSE_SCREEN = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_REST_OF_SCREEN = '\u001b[J';

/**
 * The only place that writes output. It masks secrets and removes control
 * characters in every text, and adds colours afterwards.
 *
 * Results go to stdout, notes and warnings to stderr. On an interactive
 * terminal, a status line below them shows what the program is waiting for.
 */
export class Terminal {
  readonly #io: Io;
  #status = '';
  #hasOpenScreen = false;

  /** `connect` adds the secrets of the connection. */
  readonly redactor = new Redactor();

  constructor(io: Io) {
    this.#io = io;
  }

  get clock(): Clock {
    return this.#io.clock;
  }

  get isInteractive(): boolean {
    return this.#io.err.isTTY === true && this.#io.env.TERM !== 'dumb';
  }

  /** The width of stdout; Infinity if it is not a terminal. */
  get columns(): number {
    return this.#columns('out');
  }

  get rows(): number {
    return this.#io.out.rows || 24;
  }

  /** Whether stdout can show a page that is written again and again. */
  get hasScreen(): boolean {
    return this.#io.out.isTTY === true && this.#io.env.TERM !== 'dumb';
  }

  /** Shows an empty page instead of what the terminal has shown so far. */
  openScreen(): void {
    this.#hasOpenScreen = true;
    this.#io.out.write(OPEN_SCREEN);
  }

  /** Writes the page again. Lines that are too long are cut off. */
  showScreen(lines: readonly (string | Styled)[]): Promise<void> {
    // Cleared before it is written: after a line of full width, the cursor is still at its last character.
    const page = lines.map((line, index) => {
      const clear = index === lines.length - 1 ? CLEAR_REST_OF_SCREEN : CLEAR_LINE;
      return clear + this.#render('out', line, (whole, columns) => [cut(whole, columns)]);
    });
    return new Promise((resolve, reject) => {
      const done = (error?: Error | null) => (error ? reject(error) : resolve());
      this.#io.out.write(HOME + page.join('\r\n'), done);
    });
  }

  /** Shows again what the terminal has shown before `openScreen`. */
  closeScreen(): void {
    if (this.#hasOpenScreen) this.#io.out.write(CLOSE_SCREEN);
    this.#hasOpenScreen = false;
  }

  /** Resolves when the line is written; rejects when the pipe is closed. */
  line(text: string | Styled): Promise<void> {
    return this.#write('out', this.#render('out', text));
  }

  /** Writes a line without wrapping, so that it can be copied. */
  unwrapped(text: string): Promise<void> {
    return this.#write('out', this.#sanitize(text));
  }

  /** Writes one JSON document. Control characters are escaped, not replaced. */
  json(value: unknown, indent?: number): Promise<void> {
    return this.#write('out', escapeControl(this.#maskedJson(value, indent)));
  }

  page(text: string): Promise<void> {
    return this.#write('out', this.sanitizePage(text));
  }

  /** Writes a message for the user to stderr, so that it is not part of the piped output. */
  note(text: string | Styled): void {
    this.#write('err', this.#render('err', text)).catch(() => {});
  }

  warn(text: string): void {
    this.note(paint('yellow', this.truncate(text, MAX_WARNING_LENGTH)));
  }

  /** Writes help and usage errors of the option parser, which contain their own line breaks. */
  verbatim(stream: 'out' | 'err', text: string): void {
    this.#write(stream, this.sanitizePage(text.replace(/\n$/, ''))).catch(() => {});
  }

  /** The text that `page` writes, for a file. */
  sanitizePage(text: string): string {
    return text
      .split('\n')
      .map((line) => this.#sanitize(line))
      .join('\n');
  }

  /** At most `max` characters of a text. Masked before it is cut: part of a secret would not be recognized. */
  truncate(text: string, max: number): string {
    const characters = [...this.#sanitize(text)];
    return characters.length > max ? `${characters.slice(0, max).join('')}…` : characters.join('');
  }

  /** A copy of plain data with its secrets masked, for code that truncates or quotes it. */
  masked<T>(value: T): T {
    return JSON.parse(this.#maskedJson(value)) as T;
  }

  /**
   * Asks a question whose answer is yes or no.
   *
   * @throws {ConfigurationError} nobody can answer.
   */
  async confirm(question: string): Promise<boolean> {
    const { in: input } = this.#io;
    if (!input?.isTTY)
      throw new ConfigurationError('--yes', `is needed, because nobody can answer: ${question}`);
    return (await this.#answer(`${question} [y/N]`, YES, /(?:)/)) === true;
  }

  /**
   * Asks a question until the answer is yes or no, in English or Portuguese. Resolves to undefined if nobody can
   * answer, or if the signal aborts.
   *
   * @param keys - what the person is told to type, in the language of the question.
   */
  async ask(question: string, signal: AbortSignal, keys = 'y/n'): Promise<boolean | undefined> {
    if (!this.#io.in?.isTTY || signal.aborted) return undefined;
    for (;;) {
      const answer = await this.#answer(`${question} [${keys}]`, YES, NO, signal).catch(() => undefined);
      if (answer !== undefined || signal.aborted) return answer;
    }
  }

  /** Undefined: the answer is neither. */
  async #answer(
    question: string,
    yes: RegExp,
    no: RegExp,
    signal?: AbortSignal,
  ): Promise<boolean | undefined> {
    const { in: input, err } = this.#io;
    const reader = createInterface({ input: input as NodeJS.ReadableStream, output: err });
    // It takes Ctrl-C from the terminal.
    reader.on('SIGINT', () => process.emit('SIGINT'));
    try {
      const text = (await reader.question(`${this.#sanitize(question)} `, { signal })).trim();
      if (yes.test(text)) return true;
      return no.test(text) ? false : undefined;
    } finally {
      reader.close();
    }
  }

  /** Shows a status with the elapsed time while `work` runs. */
  async withStatus<T>(status: string, work: () => Promise<T>): Promise<T> {
    const done = new AbortController();
    const startedAt = this.clock.monotonic();
    const elapsedSeconds = () => Math.round((this.clock.monotonic() - startedAt) / 1000);
    const shown = this.showStatus(done.signal, () => `${status}, ${elapsedSeconds()} s`);
    try {
      return await work();
    } finally {
      done.abort();
      await shown;
    }
  }

  /** Shows a status line and updates it every second, until the signal aborts. */
  async showStatus(signal: AbortSignal, status: () => string): Promise<void> {
    if (!this.isInteractive) return;
    try {
      while (!signal.aborted) {
        this.#setStatus(status());
        await this.clock.sleep(1000, signal);
      }
    } catch {
      // The signal aborted the sleep.
    }
    this.#setStatus('');
  }

  #setStatus(status: string): void {
    const columns = this.#io.err.columns || 80;
    this.#status = this.#sanitize(status).slice(0, Math.max(0, columns - 1));
    this.#io.err.write(CLEAR_LINE + this.#status);
  }

  #sanitize(text: string): string {
    return stripControl(this.#mask(text));
  }

  /** The output is the application's: nothing of it is cut. */
  #mask(text: string): string {
    return this.redactor.mask(text, Number.POSITIVE_INFINITY);
  }

  #render(stream: 'out' | 'err', text: string | Styled, linesOf = wrap): string {
    const { parts } = text instanceof Styled ? text : new Styled([{ text }]);
    const line = new Styled(parts.map((part) => ({ ...part, text: this.#sanitize(part.text) })));
    const hasColours = this.#hasColours(stream);
    return linesOf(line, this.#columns(stream))
      .map((fitted) =>
        fitted.parts
          .map((part) => (hasColours && part.colour ? coloured(part.colour, part.text) : part.text))
          .join(''),
      )
      .join('\n');
  }

  #columns(stream: 'out' | 'err'): number {
    const { isTTY, columns } = this.#io[stream];
    return (isTTY && columns) || Number.POSITIVE_INFINITY;
  }

  #hasColours(stream: 'out' | 'err'): boolean {
    const { env, [stream]: target } = this.#io;
    const isWanted = env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : target.isTTY === true && env.TERM !== 'dumb';
    return isWanted && !env.NO_COLOR;
  }

  #maskedJson(value: unknown, indent?: number): string {
    const mask = (text: string) => this.#mask(text);
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
    if (this.#status !== '') this.#io.err.write(CLEAR_LINE);
    return new Promise((resolve, reject) => {
      this.#io[stream].write(`${text}\n`, (error?: Error | null) => {
        if (error) return reject(error);
        // Cleared again first: the status may have been shown in the meantime.
        if (this.#status !== '') this.#io.err.write(CLEAR_LINE + this.#status);
        resolve();
      });
    });
  }
}
