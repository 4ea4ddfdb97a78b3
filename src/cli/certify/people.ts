import { paint, styled } from '../styled.js';
import type { Terminal } from '../terminal.js';
import type { People } from './application.js';

/** Asks the person at the terminal, one question at a time. */
export class TerminalPeople implements People {
  readonly #terminal: Terminal;
  #last: Promise<unknown> = Promise.resolve();

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  tell(text: string): void {
    this.#terminal.note(styled`${paint('cyan', '→')} ${paint('bold', text)}`);
  }

  ask(question: string, signal: AbortSignal): Promise<boolean | undefined> {
    const answer = this.#last.then(() => this.#terminal.ask(question, signal));
    this.#last = answer.catch(() => {});
    return answer;
  }
}
