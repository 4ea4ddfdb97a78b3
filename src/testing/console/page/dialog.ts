import { announceIn } from './announce.js';
import { button, type Child, el } from './dom.js';
import { t } from './texts.js';

let count = 0;

/** Shows a modal dialog. Escape, the button and a click beside it close it. */
export function openDialog(title: string, closed: () => void, ...content: Child[]): HTMLDialogElement {
  count += 1;
  const id = `dialog-${count}`;
  const dialog: HTMLDialogElement = el(
    'dialog',
    { 'aria-labelledby': id },
    el(
      'header',
      {},
      el('h2', { id }, title),
      button('×', () => dialog.close(), { class: 'plain close', 'aria-label': t().close }),
    ),
    ...content,
  );
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog && isOutside(dialog, event)) dialog.close();
  });
  dialog.addEventListener('close', () => {
    announceIn(document.body);
    dialog.remove();
    closed();
  });
  document.body.append(dialog);
  dialog.showModal();
  announceIn(dialog);
  return dialog;
}

/** A click on the backdrop, and one on the padding, both have the dialog as their target. */
function isOutside(dialog: HTMLElement, { clientX, clientY }: MouseEvent): boolean {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}
