/**
 * Updates the page to a fresh copy, without replacing elements that stay. So an
 * open drawer, the focus, a selection, a chosen reason and a typed text survive.
 */
export function update(parent, fresh) {
  const { activeElement } = document;
  const card = activeElement?.closest('article');
  updateChildren(parent, fresh);
  if (document.activeElement === activeElement) return;
  // The element was moved, or removed, such as a pressed button: then focus the order.
  const next = activeElement.isConnected ? activeElement : card;
  next?.focus({ preventScroll: true });
}

function updateChildren(parent, fresh) {
  const present = byKey(parent.childNodes);
  const wanted = [...fresh.childNodes].map((node) => {
    const kept = present.get(keyOf(node))?.shift();
    if (kept) updateNode(kept, node);
    return kept ?? node;
  });
  for (const gone of [...present.values()].flat()) gone.remove();
  for (const node of outOfOrder(parent, wanted)) node.remove();
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

/** The nodes whose position relative to the others has changed. Only they move, because a moved node loses the focus. */
function outOfOrder(parent, wanted) {
  const before = new Map([...parent.childNodes].map((node, index) => [node, index]));
  let last = -1;
  return wanted.filter((node) => {
    const index = before.get(node);
    if (index === undefined) return false;
    if (index < last) return true;
    last = index;
    return false;
  });
}
