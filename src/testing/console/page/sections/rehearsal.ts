import type { RehearsalTask } from '../../rehearsal.js';
import type { RehearsalItemRow } from '../../wire.js';
import { request } from '../commands.js';
import { button, el, setText } from '../dom.js';
import { List } from '../list.js';
import { live } from '../live.js';
import type { OpenSection } from '../section.js';
import { t } from '../texts.js';

/** A rehearsal of a host's homologation: what a person has to do now, and what was seen. */
export const openRehearsal: OpenSection = (root) => {
  const texts = t().rehearsal;
  const title = el('p', { class: 'quiet' });
  const bar = el('progress', { 'aria-label': texts.progress, max: 1, value: 0 });
  const counts = el('span', { class: 'quiet' });
  const tasks = el('ul', { class: 'tasks', 'aria-live': 'polite' });
  const items = el('ul', { class: 'items' });
  const list = new List<RehearsalItemRow>(items, item);
  const opened = new Set<string>();
  root.append(title, el('div', { class: 'bar' }, bar, counts), tasks, items);
  let drawn = '';
  return {
    update() {
      const rows = live.rows as RehearsalItemRow[];
      const open = (live.about.tasks ?? []) as readonly RehearsalTask[];
      setText(title, String(live.about.title ?? texts.none));
      const ended = rows.filter(({ state }) => state !== 'waiting' && state !== 'playing').length;
      bar.max = Math.max(1, rows.length);
      bar.value = ended;
      const count = (state: string) => rows.filter((row) => row.state === state).length;
      setText(counts, texts.counts(count('passed'), count('failed'), count('not seen'), rows.length));
      // Only if they differ: a button that has the focus keeps it.
      if (drawn !== JSON.stringify(open)) tasks.replaceChildren(...open.map(task));
      drawn = JSON.stringify(open);
      list.update(rows);
    },
  };

  function item({ id, title: name, state, evidence }: RehearsalItemRow): HTMLElement {
    const details: HTMLDetailsElement = el(
      'details',
      { open: opened.has(id), ontoggle: () => remember() },
      el(
        'summary',
        { 'data-focus': 'summary' },
        el('span', { class: `chip ${CLASSES[state]}` }, texts.states[state] ?? state),
        el('span', { class: 'item-id' }, id),
        el('span', {}, name),
      ),
      evidence.length > 0
        ? el('ol', {}, ...evidence.map((line) => el('li', {}, line)))
        : el('p', { class: 'quiet' }, texts.noEvidence),
    );
    // A row that has changed is drawn again.
    const remember = () => {
      if (details.open) opened.add(id);
      else opened.delete(id);
    };
    return el('li', { class: CLASSES[state] ?? '' }, details);
  }
};

const CLASSES: Readonly<Record<string, string>> = {
  waiting: 'quiet',
  playing: 'playing',
  passed: 'good',
  failed: 'bad',
  'not seen': 'warn',
};

function task({ id, text, isQuestion }: RehearsalTask): HTMLElement {
  const texts = t().rehearsal;
  const answer = (yes: boolean) => request('POST', 'ui/answer', { id, yes });
  return el(
    'li',
    {},
    el('span', {}, text),
    isQuestion && button(texts.yes, () => answer(true), { class: 'primary' }),
    isQuestion && button(texts.no, () => answer(false)),
  );
}
