import { EVENT_TYPES } from '../../../schemas/event-types.js';
import type { OrderHappening, OrderRow } from '../wire-order.js';
import { request } from './commands.js';
import { openDialog } from './dialog.js';
import { button, el, keepFocus, select, setText } from './dom.js';
import { emit, nextStage } from './moves.js';
import { t } from './texts.js';
import { timeline } from './timeline.js';

interface Details {
  readonly document: { readonly displayId?: unknown };
  readonly happened: readonly OrderHappening[];
}

interface Open {
  readonly dialog: HTMLDialogElement;
  readonly heading: HTMLElement;
  readonly key: string;
  row: OrderRow | undefined;
  readonly actions: HTMLElement;
  readonly facts: HTMLElement;
  readonly document: HTMLElement;
  /** What is drawn, as JSON. */
  drawn: string;
  isLoading: boolean;
}

let open: Open | undefined;
/** The orders of the board, in case one is opened before the next message. */
let latest: readonly OrderRow[] = [];

/** Shows one order: what to do with it, and what has happened to it. */
export function openOrder(clientId: string, orderId: string): void {
  const key = `${clientId}/${orderId}`;
  if (open?.key === key) return;
  closeOrder();
  const row = latest.find((each) => each.key === key);
  const actions = el('div', { class: 'order-actions' });
  const facts = el('div', { class: 'order-facts' });
  const document = el('pre', { tabindex: 0 });
  const dialog = openDialog(
    `#${row?.displayId ?? orderId}`,
    leave,
    actions,
    facts,
    el('details', {}, el('summary', {}, t().orders.document), document),
  );
  dialog.classList.add('wide');
  const heading = dialog.querySelector('h2') as HTMLElement;
  open = { dialog, heading, key, row, actions, facts, document, drawn: '', isLoading: false };
  if (row) drawActions(open, row);
  void load(open, clientId, orderId);
}

function leave(): void {
  const key = open?.key ?? '';
  open = undefined;
  if (location.hash.startsWith('#/orders/')) location.hash = '#/orders';
  // The card may have been drawn again, so the browser cannot give the focus back.
  document.querySelector<HTMLElement>(`[data-order="${CSS.escape(key)}"]`)?.focus();
}

export function closeOrder(): void {
  open?.dialog.close();
}

/** The hub has sent something: shows what is new. An acknowledgment does not change the row. */
export function refreshOrder(rows: readonly OrderRow[]): void {
  latest = rows;
  if (!open) return;
  const row = rows.find(({ key }) => key === open?.key);
  if (!row) return;
  if (row !== open.row) drawActions(open, row);
  open.row = row;
  void load(open, row.clientId, row.orderId);
}

async function load(shown: Open, clientId: string, orderId: string): Promise<void> {
  // The next message loads it again.
  if (shown.isLoading) return;
  shown.isLoading = true;
  const query = new URLSearchParams({ clientId, orderId });
  const { ok, body } = await request('GET', `ui/order?${query}`);
  shown.isLoading = false;
  if (!ok) return shown.facts.replaceChildren(el('p', {}, t().orders.gone));
  const text = JSON.stringify(body);
  if (text === shown.drawn) return;
  shown.drawn = text;
  const { document, happened } = body as Details;
  if (document.displayId !== undefined) setText(shown.heading, `#${document.displayId}`);
  setText(shown.document, JSON.stringify(document, undefined, 2));
  keepFocus(shown.facts, el('h3', {}, t().orders.happened), timeline(happened));
}

function drawActions({ actions }: Open, row: OrderRow): void {
  const texts = t().orders;
  const next = nextStage(row);
  const any = select(
    EVENT_TYPES.map((type) => [type, type]),
    next ?? 'CONCLUDED',
    { 'aria-label': texts.anyEvent },
  );
  const isOver = next === undefined;
  const act = (label: string, type: string, className = '') =>
    button(label, () => emit(row, type), {
      class: className,
      'data-focus': type,
    });
  keepFocus(
    actions,
    el(
      'div',
      { role: 'group', 'aria-label': texts.asHub, hidden: isOver },
      el('h3', {}, texts.asHub),
      next && act(`${texts.stages[next] ?? next} →`, next, 'primary'),
      row.cancellationBy === 'merchant' && act(texts.accept, 'CANCELLED'),
      row.cancellationBy === 'merchant' && act(texts.deny, 'CANCELLATION_REQUEST_DENIED'),
      !isOver && row.cancellationBy !== 'merchant' && act(texts.cancel, 'CANCELLED', 'danger'),
    ),
    el(
      'div',
      { role: 'group', 'aria-label': texts.asCustomer, hidden: isOver },
      el('h3', {}, texts.asCustomer),
      button(texts.askToCancel, () => emit(row, 'ORDER_CANCELLATION_REQUEST', { reason: texts.reason }), {
        'data-focus': 'ask',
      }),
    ),
    el(
      'div',
      { role: 'group', 'aria-label': texts.anyEvent },
      el('h3', {}, texts.anyEvent),
      any,
      button(texts.send, () => emit(row, any.value), { 'data-focus': 'send' }),
    ),
  );
}
