import { abandonOnAbort } from '../../async/promises.js';
import type { Rehearsal, RehearsalItem, RehearsalTask } from '../../testing/console/rehearsal.js';
import { paint, styled } from '../styled.js';
import type { Terminal } from '../terminal.js';
import type { People } from './application.js';
import type { ItemResult } from './play.js';
import type { Progress } from './rehearse.js';
import type { Script } from './script.js';
import { PATIENCE } from './stage.js';
import { type Language, TEXTS, type Texts } from './texts.js';
import type { Watch } from './watch.js';

interface Task extends RehearsalTask {
  answered?(yes: boolean): void;
}

const COLOURS = { passed: 'green', failed: 'red', 'not seen': 'yellow' } as const;

/** What the people see and answer, at the terminal and at its page. */
export class Board implements Rehearsal, People, Progress {
  readonly title: string;
  readonly #terminal: Terminal;
  readonly #watch: Watch;
  readonly #texts: Texts;
  readonly #items: Map<string, RehearsalItem>;
  readonly #tasks = new Map<number, Task>();
  #taskIds = 0;
  /** The terminal asks one question after the other. */
  #lastAsked: Promise<unknown> = Promise.resolve();

  constructor(terminal: Terminal, watch: Watch, script: Script, language: Language) {
    this.#terminal = terminal;
    this.#watch = watch;
    this.#texts = TEXTS[language];
    this.title = script.title[language];
    this.#items = new Map(
      script.items.map(({ id, title }) => [
        id,
        { id, title: title[language], state: 'waiting', evidence: [] },
      ]),
    );
  }

  get items(): readonly RehearsalItem[] {
    return [...this.#items.values()];
  }

  get tasks(): readonly RehearsalTask[] {
    return [...this.#tasks.values()].map(({ id, text, isQuestion }) => ({ id, text, isQuestion }));
  }

  begins(id: string, evidence: readonly string[]): void {
    const item = this.#items.get(id) as RehearsalItem;
    this.#items.set(id, { ...item, state: 'playing', evidence });
  }

  ended(item: ItemResult): void {
    this.kept(item);
    const { id, title, result, evidence } = item;
    const word = this.#texts.results[result].padEnd(9);
    this.#terminal.note(styled`${paint(COLOURS[result], word)} ${paint('bold', id.padEnd(4))} ${title}`);
    if (result !== 'passed') this.#terminal.note(paint('dim', `        ${evidence.at(-1) ?? ''}`));
  }

  /** An item that an earlier rehearsal has passed. */
  kept({ id, title, result, evidence }: ItemResult): void {
    this.#items.set(id, { id, title, state: result, evidence });
  }

  showTask(text: string): () => void {
    this.#terminal.note(styled`${paint('cyan', '→')} ${paint('bold', text)}`);
    return this.#add({ text, isQuestion: false });
  }

  /** The first answer counts, of the terminal or of the page. */
  async ask(question: string, signal: AbortSignal): Promise<boolean | undefined> {
    const done = new AbortController();
    const either = AbortSignal.any([signal, done.signal]);
    let atPage: boolean | undefined;
    const remove = this.#add({
      text: question,
      isQuestion: true,
      answered: (yes) => {
        atPage ??= yes;
        done.abort();
      },
    });
    const asked = this.#lastAsked.then(() => this.#terminal.ask(question, either, this.#texts.keys));
    this.#lastAsked = asked;
    try {
      // The terminal may wait for the answer to another question, and the page has this one.
      const atTerminal = await abandonOnAbort(asked, done.signal).catch(() => undefined);
      // Nobody is at the terminal, but somebody may look at the page.
      return atTerminal ?? (await this.#watch.until(() => atPage, PATIENCE));
    } finally {
      remove();
    }
  }

  answer(id: number, yes: boolean): void {
    this.#tasks.get(id)?.answered?.(yes);
  }

  #add(task: Omit<Task, 'id'>): () => void {
    this.#taskIds += 1;
    const id = this.#taskIds;
    this.#tasks.set(id, { ...task, id });
    return () => void this.#tasks.delete(id);
  }
}
