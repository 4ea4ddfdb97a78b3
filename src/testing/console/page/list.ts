import type { WireRow } from '../wire.js';

/**
 * Shows rows in a container. A row that has not changed keeps its element; one
 * that has is drawn again, and what had the focus in it gets it again: the
 * element with the same `data-focus`.
 */
export class List<Row extends WireRow> {
  readonly #container: HTMLElement;
  readonly #draw: (row: Row) => HTMLElement;
  #shown = new Map<string, { row: Row; element: HTMLElement }>();

  constructor(container: HTMLElement, draw: (row: Row) => HTMLElement) {
    this.#container = container;
    this.#draw = draw;
  }

  update(rows: readonly Row[]): void {
    const focused = document.activeElement;
    const inside = focused && this.#container.contains(focused) ? focused : undefined;
    const mark = inside instanceof HTMLElement ? inside.dataset.focus : undefined;
    const next = new Map<string, { row: Row; element: HTMLElement }>();
    for (const row of rows) {
      const known = this.#shown.get(row.key);
      if (known?.row === row) {
        next.set(row.key, known);
        continue;
      }
      const element = this.#draw(row);
      if (known) {
        const hadFocus = inside && known.element.contains(inside);
        known.element.replaceWith(element);
        if (hadFocus && mark) focusIn(element, mark);
      }
      next.set(row.key, { row, element });
    }
    for (const [key, { element }] of this.#shown) if (!next.has(key)) element.remove();
    let place = this.#container.firstElementChild;
    for (const { element } of next.values()) {
      if (element === place) place = place.nextElementSibling;
      else this.#container.insertBefore(element, place);
    }
    // A move in the document takes the focus away.
    if (inside instanceof HTMLElement && inside.isConnected && document.activeElement !== inside)
      inside.focus();
    this.#shown = next;
  }
}

/** @returns whether the element has one with this `data-focus`. */
export function focusIn(element: HTMLElement, mark: string): boolean {
  const marked = [element, ...element.querySelectorAll<HTMLElement>('[data-focus]')];
  const found = marked.find(({ dataset }) => dataset.focus === mark);
  found?.focus();
  return found !== undefined;
}
