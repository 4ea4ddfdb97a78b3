import { EVENT_TYPES } from '../../../schemas/event-types.js';
import type { OrderHappening, OrderRow } from '../wire-order.js';
import { type Answer, request } from './commands.js';
import { openDialog } from './dialog.js';
import { button, el, keepFocus, select, setText } from './dom.js';
import { emit, nextStage } from './moves.js';
import { t } from './texts.js';
import { timeline } from './timeline.js';

interface Details {
  readonly row: OrderRow;
  readonly document: { readonly displayId?: unknown };
  readonly happened: readonly OrderHappening[];
}

interface Open {
  readonly dialog: HTMLDialogElement;
  readonly heading: HTMLElement;
  readonly key: string;
  readonly clientId: string;
  readonly orderId: string;
  /** The event that the person has chosen under "Any event". */
  chosen: string | undefined;
  readonly actions: HTMLElement;
  readonly facts: HTMLElement;
  readonly document: HTMLElement;
  /** What is drawn, as JSON. '': the order is gone. */
  drawn: string | undefined;
  /** What the actions were drawn for. */
  drawnRow: string;
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
  const parts = { dialog, heading, actions, facts, document };
  open = {
    ...parts,
    key,
    clientId,
    orderId,
    chosen: undefined,
    drawn: undefined,
    drawnRow: '',
    isLoading: false,
  };
  if (row) drawActions(open, row);
  void load(open);
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

/** The hub has sent something: shows what is new. The board may not show the order, and an acknowledgment does not change its row. */
export function refreshOrder(rows: readonly OrderRow[]): void {
  latest = rows;
  if (open) void load(open);
}

async function load(shown: Open): Promise<void> {
  // What happens meanwhile is asked for with the hub's next message, a second later.
  if (shown.isLoading) return;
  shown.isLoading = true;
  const { clientId, orderId } = shown;
  const query = new URLSearchParams({ clientId, orderId });
  const answer = await request('GET', `ui/order?${query}`);
  draw(shown, answer);
  shown.isLoading = false;
}

function draw(shown: Open, { ok, body }: Answer): void {
  // The hub does not respond: what is drawn stays.
  if (body === undefined) return;
  const text = ok ? JSON.stringify(body) : '';
  if (text === shown.drawn) return;
  shown.drawn = text;
  if (!ok) {
    shown.drawnRow = '';
    shown.actions.replaceChildren();
    shown.facts.replaceChildren(el('p', {}, t().orders.gone));
    return;
  }
  const { row, document, happened } = body as Details;
  const rowText = JSON.stringify(row);
  if (rowText !== shown.drawnRow) drawActions(shown, row);
  shown.drawnRow = rowText;
  if (document.displayId !== undefined) setText(shown.heading, `#${document.displayId}`);
  setText(shown.document, JSON.stringify(document, undefined, 2));
  keepFocus(shown.facts, el('h3', {}, t().orders.happened), timeline(happened));
}

function drawActions(shown: Open, row: OrderRow): void {
  const texts = t().orders;
  const next = nextStage(row);
  const any = select(
    EVENT_TYPES.map((type) => [type, type]),
    shown.chosen ?? next ?? 'CONCLUDED',
    {
      'aria-label': texts.anyEvent,
      'data-focus': 'any',
      onchange: () => {
        shown.chosen = any.value;
      },
    },
  );
  const isOver = next === undefined;
  const act = (label: string, type: string, className = '') =>
    button(label, () => emit(row, type), {
      class: className,
      'data-focus': type,
    });
  keepFocus(
    shown.actions,
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
