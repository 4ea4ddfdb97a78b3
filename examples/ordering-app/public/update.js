/**
 * Updates the page to a fresh copy, without replacing elements that stay. So an
 * open drawer, the focus, a selection, a chosen reason and a typed text survive.
 */
export function update(parent, fresh) {
  const { activeElement } = document;
  const card = activeElement?.closest('article');
  const fixed = childWith(parent, activeElement) ?? childWith(parent, getSelection().anchorNode);
  const mark = fixed ?? firstVisible(parent);
  const top = mark?.getBoundingClientRect().top;
  updateChildren(parent, fresh, fixed);
  if (document.activeElement !== activeElement) {
    // The element was moved, or removed, such as a pressed button: then focus the order.
    const next = activeElement.isConnected ? activeElement : card;
    next?.focus({ preventScroll: true });
  }
  // An order may move to another group while a person works on it, or reads it.
  if (mark?.isConnected) scrollBy(0, mark.getBoundingClientRect().top - top);
}

/** The child that a person works on: it stays where it is, and the others move around it. */
const childWith = (parent, node) =>
  node && parent.contains(node) ? [...parent.children].find((child) => child.contains(node)) : undefined;

/** At the top of the page there is none: a new order appears there. */
const firstVisible = (parent) =>
  scrollY === 0
    ? undefined
    : [...parent.querySelectorAll('article')].find((each) => each.getBoundingClientRect().bottom > 0);

function updateChildren(parent, fresh, fixed) {
  const present = byKey(parent.childNodes);
  const wanted = [...fresh.childNodes].map((node) => {
    const kept = present.get(keyOf(node))?.shift();
    if (kept) updateNode(kept, node);
    return kept ?? node;
  });
  for (const gone of [...present.values()].flat()) gone.remove();
  for (const node of outOfOrder(parent, wanted, fixed)) node.remove();
  let next = parent.firstChild;
  for (const node of wanted) {
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
  }
}

/** An element keeps its id, so a button never turns into another one while a person presses it. */
const keyOf = (node) => node.id || node.nodeName;

function byKey(nodes) {
  const groups = new Map();
  for (const node of nodes) {
    const group = groups.get(keyOf(node));
    if (group) group.push(node);
    else groups.set(keyOf(node), [node]);
  }
  return groups;
}

function updateNode(present, fresh) {
  if (present.nodeType !== Node.ELEMENT_NODE) {
    if (present.nodeValue !== fresh.nodeValue) present.nodeValue = fresh.nodeValue;
    return;
  }
  for (const { name } of [...present.attributes]) {
    // The person has opened the drawer; the server does not know it.
    const isOpenDrawer = name === 'open' && present.nodeName === 'DETAILS';
    if (!isOpenDrawer && !fresh.hasAttribute(name)) present.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (present.getAttribute(name) !== value) present.setAttribute(name, value);
  }
  updateChildren(present, fresh);
}

/**
 * The nodes whose position relative to the others has changed. Only they move, because a moved node loses the focus
 * and the selection. `fixed` is never one of them.
 */
function outOfOrder(parent, wanted, fixed) {
  const before = new Map([...parent.childNodes].map((node, index) => [node, index]));
  let end = before.get(fixed) ?? Number.POSITIVE_INFINITY;
  let last = -1;
  return wanted.filter((node) => {
    const index = before.get(node);
    if (index === undefined) return false;
    if (node === fixed) end = Number.POSITIVE_INFINITY;
    else if (index < last || index > end) return true;
    last = index;
    return false;
  });
}
