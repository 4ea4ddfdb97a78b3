import type { EventRow, WirePushing } from '../../wire.js';
import { command } from '../commands.js';
import { button, el, setText } from '../dom.js';
import { duration, timeOfDay } from '../format.js';
import { List } from '../list.js';
import { live } from '../live.js';
import type { OpenSection } from '../section.js';
import { t } from '../texts.js';
import { pushText, Webhook } from '../webhook.js';
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
  const list = new List<EventRow>(body, (row) => draw(row, page.hasManyStores()));
  const window = new Window(page.reconnect);
  const count = el('p', { class: 'quiet' });
  const webhook = new Webhook(page.clientId);
  root.append(webhook.element, count, element, window.element);
  return {
    query: () => ({ limit: String(window.limit) }),
    update() {
      const rows = live.rows as EventRow[];
      const { total, pending, pushes } = live.about;
      webhook.update(pushes as readonly WirePushing[]);
      setText(count, rows.length === 0 ? texts.empty : texts.count(Number(pending), total));
      element.hidden = rows.length === 0;
      list.update(rows);
      window.update(rows.length, total);
    },
  };
};

function draw(row: EventRow, hasStore: boolean): HTMLElement {
  const texts = t().events;
  const { delivered, acknowledgedAt, emittedAt, eventId, isRefused, pushed } = row;
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
      { class: delivered || pushed ? 'quiet' : 'quiet is-none', 'data-label': texts.delivered },
      delivered ? texts.after(duration(delivered.at - emittedAt)) : !pushed && '–',
      delivered && delivered.times > 1 && `, ${texts.polls(delivered.times)}`,
      pushed && pushText(pushed),
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

function stateOf({ isPending, delivered, acknowledgedAt, pushed }: EventRow): [string, string] {
  const texts = t().events;
  if (!isPending)
    return [acknowledgedAt === undefined && pushed ? texts.wasPushed : texts.wasAcknowledged, 'good'];
  if (acknowledgedAt !== undefined) return [texts.redelivered, 'warn'];
  return delivered ? [texts.wasDelivered, 'warn'] : [texts.pending, ''];
}
