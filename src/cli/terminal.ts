import { ConfigurationError } from '../errors/index.js';
import { Redactor } from '../observe/redactor.js';
import type { Clock } from '../time/clock.js';
import { escapeControl, maskedJson, stripControl } from './format.js';
import { Question } from './question.js';
import { coloured, cut, Styled, wrap } from './styled.js';

const YES = /^(?:y|yes|s|sim)$/i;
const NO = /^(?:n|no|não|nao)$/i;
const CLEAR_LINE = '\r\u001b[2K';
/** The alternate screen, without the cursor and without wrapping, and back. */
const OPEN_SCREEN = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const CLOSE_SCREEN = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_REST_OF_SCREEN = '\u001b[J';

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

/**
 * The only place that writes output. It masks secrets and removes control
 * characters in every text, and adds colours afterwards.
 *
 * Results go to stdout, notes and warnings to stderr. On an interactive
 * terminal, the last line is a status, which shows what the program is waiting for, or a question.
 */
export class Terminal {
  readonly #io: Io;
  #status = '';
  /** That a person is asked at a screen. */
  #question: Question | undefined;

  /** Of the program, unless its command fails with an error; a command sets it. */
  exitCode = 0;

  /** `connect` adds the secrets of the connection. */
  readonly redactor = new Redactor();

  constructor(io: Io) {
    this.#io = io;
  }

  get clock(): Clock {
    return this.#io.clock;
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
    return this.#isScreen('out');
  }

  /** Shows pages instead of what the terminal has shown so far, until `work` ends. */
  async withScreen(work: () => Promise<void>): Promise<void> {
    this.#io.out.write(OPEN_SCREEN);
    try {
      await work();
    } finally {
      this.#io.out.write(CLOSE_SCREEN);
    }
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
    return this.#write('out', escapeControl(maskedJson(value, this.#mask, indent)));
  }

  page(text: string): Promise<void> {
    return this.#write('out', this.sanitizePage(text));
  }

  /** Writes a message for the user to stderr, so that it is not part of the piped output. */
  note(text: string | Styled): void {
    this.#write('err', this.#render('err', text)).catch(() => {});
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

  /** Asks a question whose answer is yes or no. */
  async confirm(question: string): Promise<boolean> {
    if (!this.#io.in?.isTTY)
      throw new ConfigurationError('--yes', `is needed, because nobody can answer: ${question}`);
    return YES.test(await this.#answer(`${question} [y/N]`));
  }

  /**
   * Asks a question until the answer is yes or no, in English or Portuguese; `keys` says what to type. Resolves to
   * undefined if nobody can answer, or if the signal aborts.
   */
  async ask(question: string, signal: AbortSignal, keys: string): Promise<boolean | undefined> {
    if (!this.#io.in?.isTTY) return undefined;
    while (!signal.aborted) {
      const answer = await this.#answer(`${question} [${keys}]`, signal).catch(() => '');
      if (YES.test(answer)) return true;
      if (NO.test(answer)) return false;
    }
    return undefined;
  }

  async #answer(question: string, signal?: AbortSignal): Promise<string> {
    const { in: input, err } = this.#io;
    const isScreen = this.#isScreen('err');
    const asked = new Question(input as NodeJS.ReadableStream, err, isScreen);
    if (isScreen) this.#question = asked;
    try {
      return await asked.answer(`${this.#sanitize(question)} `, signal);
    } finally {
      this.#question = undefined;
    }
  }

  /** Shows a status while `work` runs, and updates it every second; to a plain string, it adds the elapsed time. */
  async withStatus<T>(status: string | (() => string), work: () => Promise<T>): Promise<T> {
    if (!this.#isScreen('err')) return work();
    const done = new AbortController();
    const startedAt = this.clock.monotonic();
    const elapsedSeconds = () => Math.round((this.clock.monotonic() - startedAt) / 1000);
    const text = typeof status === 'function' ? status : () => `${status}, ${elapsedSeconds()} s`;
    const shown = this.#showStatus(done.signal, text);
    try {
      return await work();
    } finally {
      done.abort();
      await shown;
    }
  }

  async #showStatus(signal: AbortSignal, status: () => string): Promise<void> {
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
  readonly #mask = (text: string) => this.redactor.mask(text, Number.POSITIVE_INFINITY);

  #render(stream: 'out' | 'err', text: string | Styled, linesOf = wrap): string {
    const { parts } = text instanceof Styled ? text : new Styled([{ text }]);
    const line = new Styled(parts.map((part) => ({ ...part, text: this.#sanitize(part.text) })));
    return linesOf(line, this.#columns(stream))
      .map(this.#hasColours(stream) ? coloured : String)
      .join('\n');
  }

  #columns(stream: 'out' | 'err'): number {
    const { isTTY, columns } = this.#io[stream];
    return (isTTY && columns) || Number.POSITIVE_INFINITY;
  }

  #isScreen(stream: 'out' | 'err'): boolean {
    return this.#io[stream].isTTY === true && this.#io.env.TERM !== 'dumb';
  }

  #hasColours(stream: 'out' | 'err'): boolean {
    const { FORCE_COLOR, NO_COLOR } = this.#io.env;
    return !NO_COLOR && (FORCE_COLOR ? FORCE_COLOR !== '0' : this.#isScreen(stream));
  }

  #write(stream: 'out' | 'err', text: string): Promise<void> {
    if (this.#question) this.#io.err.write(this.#question.hide());
    if (this.#status !== '') this.#io.err.write(CLEAR_LINE);
    return new Promise((resolve, reject) => {
      this.#io[stream].write(`${text}\n`, (error?: Error | null) => {
        if (error) return reject(error);
        // Cleared again first: the status may have been shown in the meantime, or the question by another line.
        if (this.#status !== '') this.#io.err.write(CLEAR_LINE + this.#status);
        if (this.#question) this.#io.err.write(this.#question.hide() + this.#question.show());
        resolve();
      });
    });
  }
}
