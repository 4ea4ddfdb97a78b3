import { button, el, setText } from './dom.js';
import { t } from './texts.js';

/** Shows how many rows of all are shown, and a button for more. */
export class Window {
  limit: number;
  readonly element: HTMLElement;
  readonly #count = el('span', { class: 'quiet' });
  readonly #more: HTMLButtonElement;

  /** @param first - enough for a screen. */
  constructor(reconnect: () => void, first = 60, step = 200) {
    this.limit = first;
    this.#more = button(t().more, () => {
      this.limit += step;
      reconnect();
    });
    this.element = el('p', { class: 'window' }, this.#count, ' ', this.#more);
  }

  update(shown: number, total: number, isAll = shown < this.limit || shown >= total): void {
    setText(this.#count, t().of(shown, total));
    this.#more.hidden = isAll;
    this.element.hidden = shown >= total;
  }
}

/** A table without rows. */
export function table(headings: readonly string[]): { element: HTMLElement; body: HTMLElement } {
  const body = el('tbody');
  const head = el('thead', {}, el('tr', {}, ...headings.map((text) => el('th', { scope: 'col' }, text))));
  return { element: el('div', { class: 'table', tabindex: -1 }, el('table', {}, head, body)), body };
}
