import { html } from 'hono/html';
import type { NextCommand, OrderEvent } from 'opendelivery-client';
import { expectedPosition, isFinished, isSame } from './expected.js';
import { duration, time } from './formats.js';
import { type ListedOrder, possibleCommands } from './order-book.js';
import {
  addressLine,
  customerLine,
  type Html,
  itemLines,
  kindOf,
  pathOf,
  payments,
  scheduleLine,
  sums,
  takeoutLine,
} from './order-parts.js';
import { CANCELLATION_REASONS, COMMAND_NAMES, eventName, STAGE_NAMES } from './texts.js';

/** Hubs cancel an order that is not confirmed within minutes: five at some. */
const LATE_AFTER_MS = 3 * 60_000;

/** One order with its details, its stage and its buttons. */
export function orderCard(order: ListedOrder, now: number): Html {
  const { orderId, details, progress, history } = order;
  const { displayId = orderId, extraInfo } = details;
  return html`<article id="order-${orderId}" data-stage="${progress.stage}" tabindex="-1" aria-label="Pedido ${displayId}">
    <header>
      <h3>${displayId}</h3>
      <strong class="stage">${STAGE_NAMES[progress.stage]}</strong>
    </header>
    <p>${kindOf(details)}</p>
    ${isFinished(progress) ? '' : waited(order, now)}
    ${customerLine(details)}
    ${addressLine(details)}
    ${scheduleLine(details)}
    ${takeoutLine(details)}
    ${pickupArea(history)}
    ${itemLines(details)}
    ${extraInfo && html`<p><mark>${extraInfo}</mark></p>`}
    ${sums(details)}
    ${payments(details)}
    ${isFinished(progress) ? '' : actions(order)}
    <p class="links">
      <a href="${pathOf(orderId)}/ticket" target="_blank" aria-label="Imprimir pedido ${displayId}">Imprimir</a>
      <a href="${pathOf(orderId)}/history" target="_blank" aria-label="Histórico do pedido ${displayId}">Histórico</a>
    </p>
    <ol class="history">
      ${history.map(({ eventType, createdAt }) => html`<li>${eventName(eventType)} ${time(createdAt)}</li>`)}
    </ol>
  </article>`;
}

/** How long the customer has been waiting. */
function waited({ details, progress }: ListedOrder, now: number): Html | string {
  const since = Date.parse(details.createdAt ?? '');
  const waitedMs = now - (Number.isNaN(since) ? (progress.at ?? Number.NaN) : since);
  if (Number.isNaN(waitedMs)) return '';
  const isLate = progress.stage === 'CREATED' && waitedMs >= LATE_AFTER_MS;
  return html`<p class="waited${isLate ? ' late' : ''}">
    ${isLate ? 'Confirme agora: esperando há' : 'Esperando há'} ${duration(waitedMs)}
  </p>`;
}

/** Running and failed commands, and a button for each possible command. */
function actions(order: ListedOrder): Html {
  const { orderId, progress, accepted, sending, problem, history } = order;
  const isWaiting = !sending && !isSame(progress, expectedPosition(progress, accepted));
  const commands = possibleCommands(order);
  return html`
    ${progress.cancellation === 'asked_by_hub' && html`<p class="trouble">O cliente solicitou o cancelamento: ${reasonOf(history)}</p>`}
    ${progress.cancellation === 'asked_by_store' && html`<p class="waiting">Você solicitou o cancelamento.</p>`}
    ${problem && html`<p class="trouble">${problem}</p>`}
    ${sending && html`<p class="waiting">Enviando “${COMMAND_NAMES[sending]}” ao hub…</p>`}
    ${isWaiting && html`<p class="waiting">Comando registrado. Aguardando o evento do hub…</p>`}
    <div class="actions">
      <form id="commands-${orderId}" method="post" action="/commands">
        <input type="hidden" name="orderId" value="${orderId}" />
        ${commands.map((command) => command !== 'requestCancellation' && button(orderId, command))}
      </form>
      ${commands.includes('requestCancellation') && cancellation(orderId)}
    </div>`;
}

// Ids, because the page's script keeps an element while its id exists.
const button = (orderId: string, command: NextCommand) =>
  html`<button id="${command}-${orderId}" name="command" value="${command}">${COMMAND_NAMES[command]}</button>`;

/** A separate form: Enter in its text field must not press the first button of the other form. */
const cancellation = (orderId: string) => html`<details id="cancel-${orderId}">
  <summary>Cancelar…</summary>
  <form method="post" action="/commands">
    <input type="hidden" name="orderId" value="${orderId}" />
    <label>Motivo
      <select name="reason">
        ${Object.entries(CANCELLATION_REASONS).map(([code, text]) => html`<option value="${code}">${text}</option>`)}
      </select>
    </label>
    <label>Comentário (opcional)
      <input name="comment" maxlength="200" autocomplete="off" />
    </label>
    ${button(orderId, 'requestCancellation')}
  </form>
</details>`;

const latest = (history: readonly OrderEvent[], type: string) =>
  history.findLast(({ eventType }) => eventType === type)?.metadata ?? {};

function reasonOf(history: readonly OrderEvent[]): string {
  const { reason } = latest(history, 'ORDER_CANCELLATION_REQUEST');
  return typeof reason === 'string' ? reason : 'sem motivo informado';
}

/** Where a courier or a customer picks the order up, if the hub has said so. */
function pickupArea(history: readonly OrderEvent[]): Html | string {
  const { pickupArea: area } = latest(history, 'PICKUP_AREA_ASSIGNED');
  return typeof area === 'string' ? html`<p>Área de retirada: <b>${area}</b></p>` : '';
}
