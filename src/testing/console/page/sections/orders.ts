import type { OrderRow } from '../../wire-order.js';
import { button, el, setText } from '../dom.js';
import { FirstOrder } from '../first-order.js';
import { duration, money } from '../format.js';
import { focusIn, List } from '../list.js';
import { live, monotonic } from '../live.js';
import { emit, nextStage } from '../moves.js';
import { openNewOrder } from '../new-order.js';
import { closeOrder, openOrder, refreshOrder } from '../order-dialog.js';
import type { OpenSection } from '../section.js';
import { statusClass } from '../status.js';
import { t } from '../texts.js';
import { Window } from '../window.js';

/** Open orders that are shown at first. */
const FIRST = 100;

const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  new: ['CREATED'],
  kitchen: ['CONFIRMED', 'PREPARING'],
  ready: ['READY_FOR_PICKUP'],
  way: ['DISPATCHED', 'PICKED_UP', 'DELIVERED'],
  done: ['CONCLUDED', 'CANCELLED'],
};

/** Orders by stage. An order without an answer is highlighted with the time that it waits. */
export const openOrders: OpenSection = (root, page) => {
  const texts = t().orders;
  const columns = Object.entries(COLUMNS).map(([name, stages]) => {
    const count = el('span', { class: 'count' });
    const cards = el('div', { class: 'cards' });
    const list = new List<OrderRow>(cards, (row) => card(row, page.hasManyStores()));
    const id = `column-${name}`;
    const heading = el('h3', { id }, texts.columns[name] ?? name, ' ', count);
    return { stages, count, list, element: el('section', { 'aria-labelledby': id }, heading, cards) };
  });
  const window = new Window(page.reconnect, FIRST);
  const board = el('div', { class: 'board' }, ...columns.map(({ element }) => element));
  const first = new FirstOrder(() => openNewOrder(page.clientId()));
  root.append(
    el(
      'div',
      { class: 'bar' },
      button(texts.create, () => openNewOrder(page.clientId()), { class: 'primary' }),
    ),
    first.element,
    board,
    window.element,
  );
  return {
    query: () => ({ limit: String(window.limit) }),
    update() {
      const rows = live.rows as OrderRow[];
      const counts = (live.about.counts ?? {}) as Record<string, number>;
      first.update(page.clientId());
      board.hidden = live.about.total === 0;
      const focused = focusedCard(board);
      for (const { stages, list, count, element } of columns) {
        const own = rows.filter(({ stage }) => stages.includes(stage)).sort(longestWaitFirst);
        list.update(own);
        setText(count, String(stages.reduce((sum, stage) => sum + (counts[stage] ?? 0), 0)));
        element.classList.toggle('is-empty', own.length === 0);
      }
      focused?.();
      const { total } = live.about;
      window.update(rows.length, total, rows.length >= total);
      refreshOrder(rows);
      tick(root);
    },
    tick: () => tick(root),
    open([clientId, orderId]) {
      if (clientId !== undefined && orderId !== undefined) openOrder(clientId, orderId);
      else closeOrder();
    },
  };
};

/** A card that moves to another column is drawn again there. @returns gives it the focus again that it has now. */
function focusedCard(board: HTMLElement): (() => void) | undefined {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || !board.contains(element)) return undefined;
  const { focus = '' } = element.dataset;
  const key = element.closest('.card')?.querySelector<HTMLElement>('[data-order]')?.dataset.order ?? '';
  return () => {
    const card = board.querySelector(`[data-order="${CSS.escape(key)}"]`)?.closest<HTMLElement>('.card');
    if (element.isConnected || !card || board.contains(document.activeElement)) return;
    if (!focusIn(card, focus)) focusIn(card, 'open');
  };
}

/** Updates the times that pass. */
function tick(root: HTMLElement): void {
  const at = monotonic();
  for (const each of root.querySelectorAll<HTMLElement>('[data-since]')) {
    setText(each, duration(at - Number(each.dataset.since)));
  }
}

function card(row: OrderRow, hasStore: boolean): HTMLElement {
  const texts = t().orders;
  const { stage, command, waitingSince, cancellationBy } = row;
  const next = nextStage(row);
  const href = `#/orders/${encodeURIComponent(row.clientId)}/${encodeURIComponent(row.orderId)}`;
  const kind = [
    texts.types[row.type] ?? row.type,
    row.timing === 'INSTANT' ? '' : (texts.timings[row.timing] ?? row.timing),
  ];
  const badge =
    stage === 'CREATED'
      ? undefined
      : el('span', { class: `stage ${stage.toLowerCase()}` }, texts.stages[stage] ?? stage);
  return el(
    'article',
    { class: waitingSince === undefined ? 'card' : 'card waits' },
    el(
      'div',
      { class: 'line' },
      el(
        'a',
        { href, class: 'display-id', 'data-focus': 'open', 'data-order': row.key },
        `#${row.displayId}`,
      ),
      badge,
      el('span', { class: 'amount' }, money(row.total, row.currency)),
    ),
    el(
      'p',
      { class: 'quiet' },
      [kind.filter(Boolean).join(', '), row.customer, hasStore && row.clientId].filter(Boolean).join(' · '),
    ),
    cancellationBy &&
      waitingSince === undefined &&
      el('p', { class: 'asks' }, cancellationBy === 'platform' ? texts.askedByHub : texts.askedByStore),
    waitingSince !== undefined &&
      el(
        'p',
        { class: 'waiting' },
        cancellationBy === 'platform' ? `${texts.askedByHub}, ${texts.waits}` : texts.waits,
        ' ',
        el('strong', { 'data-since': waitingSince }),
      ),
    command &&
      el(
        'p',
        { class: 'command' },
        el('code', {}, command.name),
        ' ',
        el(
          'a',
          { href: `#/requests/${command.number}`, class: statusClass(command.status) },
          command.status || texts.noResponse,
        ),
        ' ',
        el('span', { class: 'quiet', 'data-since': command.monotonicAt }),
      ),
    next &&
      el(
        'div',
        { class: 'actions' },
        button(`${texts.stages[next] ?? next} →`, () => emit(row, next), {
          'aria-label': `#${row.displayId}: ${texts.moveTo(texts.stages[next] ?? next)}`,
          'data-focus': 'next',
        }),
      ),
  );
}

/** Those that do not wait stay as they are: the newest first. */
const longestWaitFirst = (one: OrderRow, other: OrderRow): number =>
  (one.waitingSince ?? Number.MAX_VALUE) - (other.waitingSince ?? Number.MAX_VALUE);
