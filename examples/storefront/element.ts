type Child = Node | string | false | undefined;

/** Properties of the element, and attributes that begin with `aria-`. */
type Props<Tag extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[Tag], 'style' | 'children'>
> & { readonly [attribute: `aria-${string}`]: string | undefined };

/** Creates an element. Texts of the menu become text nodes, never HTML. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Props<Tag> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined) continue;
    if (key.startsWith('aria-')) created.setAttribute(key, String(value));
    else Reflect.set(created, key, value);
  }
  created.append(...children.filter((child) => child !== undefined && child !== false));
  return created;
}

/** The element of the page with this id. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element with the id '${id}'`);
  return found;
}
