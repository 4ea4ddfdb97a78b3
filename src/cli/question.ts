import { createInterface, type Interface } from 'node:readline/promises';

/** A question to a person. At a screen it stays below all that is written meanwhile. */
export class Question {
  readonly #reader: Interface;
  #isShown = false;

  /** @param isScreen - false: nothing is cleared and written again. */
  constructor(input: NodeJS.ReadableStream, output: NodeJS.WritableStream, isScreen: boolean) {
    this.#reader = createInterface({ input, output });
    this.#isShown = isScreen;
    // It takes Ctrl-C from the terminal.
    this.#reader.on('SIGINT', () => process.emit('SIGINT'));
  }

  /** @throws the signal's reason, if it aborts first. */
  async answer(text: string, signal: AbortSignal | undefined): Promise<string> {
    try {
      return (await this.#reader.question(text, { signal })).trim();
    } finally {
      this.#reader.close();
    }
  }

  /** What clears its lines. */
  hide(): string {
    if (!this.#isShown) return '';
    this.#isShown = false;
    const { rows } = this.#reader.getCursorPos();
    return `${rows > 0 ? `\u001b[${rows}A` : ''}\r\u001b[J`;
  }

  /** Its lines, with what was typed so far. */
  show(): string {
    this.#isShown = true;
    return this.#reader.getPrompt() + this.#reader.line;
  }
}
