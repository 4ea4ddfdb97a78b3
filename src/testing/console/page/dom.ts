/** Elements are made here, and only here. Every text becomes a text node, so nothing of a hub is read as HTML. */

export type Child = Node | string | number | false | null | undefined;

type Value = string | number | boolean | undefined | ((event: Event) => unknown);

/** Attributes; a function is a listener (`onclick`), `true` an attribute without a value. */
export type Attributes = Readonly<Record<string, Value>>;

export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children.filter(isShown).map(toNode));
  return element;
}

const isShown = (child: Child): child is Node | string | number =>
  child !== undefined && child !== null && child !== false;

const toNode = (child: Node | string | number): Node | string =>
  typeof child === 'number' ? String(child) : child;

/** A button that does something. */
export const button = (label: string, onclick: (event: Event) => unknown, attributes: Attributes = {}) =>
  el('button', { type: 'button', onclick, ...attributes }, label);

/** A labelled field. */
export const field = (label: string, input: HTMLElement, attributes: Attributes = {}) =>
  el('label', { class: 'field', ...attributes }, el('span', {}, label), input);

type Options = ReadonlyArray<readonly [value: string, label: string]>;

export function select(options: Options, value: string, attributes: Attributes = {}): HTMLSelectElement {
  const element = el('select', attributes);
  setOptions(element, options, value);
  return element;
}

/** Changes the options only if they differ, so that an open list stays open. */
export function setOptions(element: HTMLSelectElement, options: Options, value: string): void {
  const known = JSON.stringify([...element.options].map((option) => [option.value, option.textContent]));
  if (known !== JSON.stringify(options)) {
    element.replaceChildren(...options.map(([each, label]) => el('option', { value: each }, label)));
  }
  if (element.value !== value) element.value = value;
}

/** Changes a text only if it differs, so that a selection survives. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** Draws a container again. What had the focus in it gives it to the element with the same `data-focus`. */
export function keepFocus(container: HTMLElement, ...children: Node[]): void {
  const { activeElement } = document;
  const mark =
    activeElement instanceof HTMLElement && container.contains(activeElement)
      ? activeElement.dataset.focus
      : undefined;
  container.replaceChildren(...children);
  if (mark) container.querySelector<HTMLElement>(`[data-focus="${CSS.escape(mark)}"]`)?.focus();
}
