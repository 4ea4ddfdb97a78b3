import type { StepRow } from '../../wire.js';
import { command } from '../commands.js';
import { openDialog } from '../dialog.js';
import { button, el } from '../dom.js';
import { duration } from '../format.js';
import { List } from '../list.js';
import { live } from '../live.js';
import type { OpenSection } from '../section.js';
import { t } from '../texts.js';
import { table, Window } from '../window.js';

/** What was done, as a script that can be played again. */
export const openScript: OpenSection = (root, page) => {
  const texts = t().script;
  const { element, body } = table([texts.at, texts.request, texts.body]);
  const list = new List<StepRow>(body, ({ atMs, request, body: sent }) =>
    el(
      'tr',
      {},
      el('td', { class: 'number' }, duration(atMs)),
      el('td', { class: 'main-cell' }, el('code', {}, request)),
      el('td', { class: 'body-cell' }, el('code', {}, sent)),
    ),
  );
  const window = new Window(page.reconnect);
  const empty = el('p', { class: 'empty' }, texts.empty);
  root.append(
    el('p', { class: 'quiet' }, texts.hint),
    el(
      'div',
      { class: 'bar' },
      el('a', { href: '/_mock/ui/script', download: 'script.json', class: 'button primary' }, texts.save),
      button(texts.clear, () => command('DELETE', 'ui/script', undefined, texts.cleared)),
      button(texts.reset, askToReset, { class: 'danger' }),
    ),
    el('p', {}, texts.play, ' ', el('code', {}, 'npx opendelivery mock --script script.json')),
    empty,
    element,
    window.element,
  );
  return {
    query: () => ({ limit: String(window.limit) }),
    update() {
      const rows = live.rows as StepRow[];
      list.update(rows);
      empty.hidden = rows.length > 0;
      element.hidden = rows.length === 0;
      window.update(rows.length, live.about.total);
    },
  };
};

/** Nothing brings the orders back, so it asks first. */
function askToReset(): void {
  const texts = t().script;
  const reset = () => {
    dialog.close();
    void command('POST', 'reset', undefined, texts.resetDone);
  };
  const confirm = el('div', { class: 'bar' }, button(texts.reset, reset, { class: 'danger' }));
  const dialog = openDialog(texts.reset, () => {}, el('p', {}, texts.resetHint), confirm);
}
