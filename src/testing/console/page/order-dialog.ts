import { EVENT_TYPES } from '../../../schemas/event-types.js';
import type { OrderRow, WirePush } from '../wire.js';
import { request } from './commands.js';
import { openDialog } from './dialog.js';
import { button, type Child, el, select, setText } from './dom.js';
import { duration, timeOfDay } from './format.js';
import { emit, nextStage } from './moves.js';
import { statusClass } from './status.js';
import { t } from './texts.js';
import { pushText } from './webhook.js';

interface Happened {
  readonly what: 'event' | 'command';
  readonly at: number;
  readonly name: string;
  readonly status?: number;
  readonly number?: number;
  readonly deliveredAt?: number;
  readonly acknowledgedAt?: number;
  readonly pushed?: WirePush;
  readonly metadata?: unknown;
}

interface Details {
  readonly document: { readonly displayId?: unknown };
  readonly happened: readonly Happened[];
}

interface Open {
  readonly dialog: HTMLDialogElement;
  readonly heading: HTMLElement;
  readonly key: string;
  row: OrderRow | undefined;
  readonly actions: HTMLElement;
  readonly facts: HTMLElement;
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
  const dialog = openDialog(`#${row?.displayId ?? orderId}`, leave, actions, facts);
  dialog.classList.add('wide');
  const heading = dialog.querySelector('h2') as HTMLElement;
  open = { dialog, heading, key, row, actions, facts };
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

/** The board has changed: shows the order again if it has. */
export function refreshOrder(rows: readonly OrderRow[]): void {
  latest = rows;
  if (!open) return;
  const row = rows.find(({ key }) => key === open?.key);
  if (!row || row === open.row) return;
  open.row = row;
  void load(open, row.clientId, row.orderId);
}

async function load(shown: Open, clientId: string, orderId: string): Promise<void> {
  const { row } = shown;
  if (row) drawActions(shown, row);
  const query = new URLSearchParams({ clientId, orderId });
  const { ok, body } = await request('GET', `ui/order?${query}`);
  // The order has changed meanwhile, and is loaded again.
  if (shown.row !== row) return;
  if (!ok) return shown.facts.replaceChildren(el('p', {}, t().orders.gone));
  const { document, happened } = body as Details;
  const texts = t().orders;
  if (document.displayId !== undefined) setText(shown.heading, `#${document.displayId}`);
  const isOpen = shown.facts.querySelector('details')?.open ?? false;
  shown.facts.replaceChildren(
    el('h3', {}, texts.happened),
    el(
      'ol',
      { class: 'happened' },
      ...happened.map((each) => el('li', { class: each.what }, ...drawn(each))),
    ),
    el(
      'details',
      { open: isOpen },
      el('summary', {}, texts.document),
      el('pre', { tabindex: 0 }, JSON.stringify(document, undefined, 2)),
    ),
  );
}

function drawn({
  what,
  at,
  name,
  status,
  number,
  deliveredAt,
  acknowledgedAt,
  pushed,
  metadata,
}: Happened): Child[] {
  const texts = t().orders;
  const head = [
    el('time', {}, timeOfDay(at)),
    el('span', { class: 'quiet' }, what === 'event' ? texts.event : texts.command),
    el('code', {}, name),
  ];
  if (what === 'command') {
    return [
      ...head,
      el('a', { href: `#/requests/${number}`, class: statusClass(status) }, status || texts.noResponse),
    ];
  }
  const state =
    acknowledgedAt !== undefined
      ? `${texts.acknowledged} +${duration(acknowledgedAt - at)}`
      : deliveredAt !== undefined
        ? `${texts.delivered} +${duration(deliveredAt - at)}`
        : pushed
          ? ''
          : texts.waiting;
  return [
    ...head,
    state !== '' && el('span', { class: 'quiet' }, state),
    pushed && pushText(pushed),
    metadata !== undefined && el('code', { class: 'metadata' }, JSON.stringify(metadata)),
  ];
}

function drawActions({ actions }: Open, row: OrderRow): void {
  const texts = t().orders;
  const focused =
    document.activeElement instanceof HTMLElement ? document.activeElement.dataset.focus : undefined;
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
  actions.replaceChildren(
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
  if (focused) actions.querySelector<HTMLElement>(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
}
