import type { EventRow } from '../../src/testing/console/wire.js';
import { command } from '../commands.js';
import { button, el, field, setText } from '../dom.js';
import { duration, timeOfDay } from '../format.js';
import { List } from '../list.js';
import { live } from '../live.js';
import type { OpenSection } from '../section.js';
import { t } from '../texts.js';
import { table, Window } from '../window.js';

/** Each event: when it was emitted, delivered and acknowledged. */
export const openEvents: OpenSection = (root, page) => {
  const texts = t().events;
  const { element, body } = table([
    texts.time,
    texts.type,
    texts.order,
    texts.state,
    texts.delivered,
    texts.acknowledged,
    texts.actions,
  ]);
  const list = new List<EventRow>(body, (row) =>
    draw(row, page.clientId() === '' && live.summary.stores.length > 1),
  );
  const window = new Window(page.reconnect);
  const count = el('p', { class: 'quiet' });
  root.append(count, element, window.element, push(page.clientId));
  return {
    query: () => ({ limit: String(window.limit) }),
    update() {
      const rows = live.rows as EventRow[];
      const { total, pending } = live.about;
      setText(count, rows.length === 0 ? texts.empty : texts.count(Number(pending), total));
      element.hidden = rows.length === 0;
      list.update(rows);
      window.update(rows.length, total);
    },
  };
};

/** Where new events are pushed. */
function push(clientId: () => string): HTMLElement {
  const texts = t().events;
  const address = el('input', { type: 'url', required: true });
  const start = (event: Event) => {
    event.preventDefault();
    const store = clientId() === '' ? {} : { clientId: clientId() };
    void command('PUT', 'pushes', { url: address.value, ...store }, texts.pushStarted);
  };
  return el(
    'details',
    {},
    el('summary', {}, texts.push),
    el('p', { class: 'quiet' }, texts.pushHint),
    el(
      'form',
      { class: 'bar', onsubmit: start },
      field(texts.pushAddress, address),
      el('button', { class: 'primary' }, texts.pushStart),
      button(texts.pushStop, () => command('DELETE', 'pushes', undefined, texts.pushStopped)),
    ),
  );
}

function draw(row: EventRow, hasStore: boolean): HTMLElement {
  const texts = t().events;
  const { delivered, acknowledgedAt, emittedAt, eventId, isRefused } = row;
  const post = (path: string, done: string) => command('POST', path, { eventId }, done);
  const href = `#/orders/${encodeURIComponent(row.clientId)}/${encodeURIComponent(row.orderId)}`;
  const [state, look] = stateOf(row);
  return el(
    'tr',
    {},
    el('td', { class: 'number' }, timeOfDay(emittedAt)),
    el('td', { class: 'main-cell' }, el('code', {}, row.eventType)),
    el(
      'td',
      {},
      row.displayId === undefined ? '–' : el('a', { href }, `#${row.displayId}`),
      hasStore && el('span', { class: 'quiet' }, ` ${row.clientId}`),
    ),
    el(
      'td',
      {},
      el('span', { class: `chip ${look}` }, state),
      isRefused && el('span', { class: 'chip bad' }, texts.refused),
    ),
    el(
      'td',
      { class: delivered ? 'quiet' : 'quiet is-none', 'data-label': texts.delivered },
      delivered ? texts.after(duration(delivered.at - emittedAt)) : '–',
      delivered && delivered.times > 1 && `, ${texts.polls(delivered.times)}`,
    ),
    el(
      'td',
      {
        class: acknowledgedAt === undefined ? 'quiet is-none' : 'quiet',
        'data-label': texts.acknowledged,
      },
      acknowledgedAt === undefined ? '–' : texts.after(duration(acknowledgedAt - emittedAt)),
    ),
    el(
      'td',
      { class: 'row-actions' },
      button(texts.redeliver, () => post('redeliveries', texts.redeliverDone), {
        'data-focus': 'again',
        disabled: row.isPending,
      }),
      button(texts.refuse, () => post('refusals', texts.refuseDone), {
        'data-focus': 'refuse',
        disabled: isRefused,
      }),
    ),
  );
}

function stateOf({ isPending, delivered, acknowledgedAt }: EventRow): [string, string] {
  const texts = t().events;
  if (!isPending) return [texts.wasAcknowledged, 'good'];
  if (acknowledgedAt !== undefined) return [texts.redelivered, 'warn'];
  return delivered ? [texts.wasDelivered, 'warn'] : [texts.pending, ''];
}
