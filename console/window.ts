import { button, el, setText } from './dom.js';
import { t } from './texts.js';

/** Enough for a screen. */
const FIRST = 60;
const STEP = 200;

/** Shows how many rows of all are shown, and a button for more. */
export class Window {
  limit = FIRST;
  readonly element: HTMLElement;
  readonly #count = el('span', { class: 'quiet' });
  readonly #more: HTMLButtonElement;

  constructor(reconnect: () => void) {
    this.#more = button(t().more, () => {
      this.limit += STEP;
      reconnect();
    });
    this.element = el('p', { class: 'window' }, this.#count, ' ', this.#more);
  }

  update(shown: number, total: number): void {
    setText(this.#count, t().of(shown, total));
    this.#more.hidden = shown < this.limit;
    this.element.hidden = total === 0;
  }
}

/** A table without rows. */
export function table(headings: readonly string[]): { element: HTMLElement; body: HTMLElement } {
  const body = el('tbody');
  const head = el('thead', {}, el('tr', {}, ...headings.map((text) => el('th', { scope: 'col' }, text))));
  return { element: el('div', { class: 'table', tabindex: -1 }, el('table', {}, head, body)), body };
}
