/**
 * Makes what the page shows the same as a fresh copy and leaves alone what a
 * person has done to it: no element that stays is replaced, so that an open
 * drawer, the focus, a selection, a chosen reason and a typed text outlive it.
 */
export function update(parent, fresh) {
  const { activeElement } = document;
  const card = activeElement?.closest('article');
  updateChildren(parent, fresh);
  if (document.activeElement === activeElement) return;
  // It was moved, or it is gone, as a button is that was pressed: then its order has the focus.
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

/** An id stays with its element for good: a button never becomes another one below somebody's finger. */
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
    // The person has opened the drawer, the application knows nothing of it.
    const isTheirs = name === 'open' && present.nodeName === 'DETAILS';
    if (!isTheirs && !fresh.hasAttribute(name)) present.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (present.getAttribute(name) !== value) present.setAttribute(name, value);
  }
  updateChildren(present, fresh);
}

/** The nodes that now come after one they were before; the others need not move, and a move costs the focus. */
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
