import { html } from 'hono/html';
import type { Order, OrderEvent } from 'opendelivery-client';
import { CANCELLATION_REASONS } from './commands.js';
import type { ListedOrder } from './order-book.js';
import { COMMANDS, type CommandName, isFinished, isSame, possibleCommands, type Stage } from './progress.js';
import { time } from './time.js';

/** The result of `html`, which escapes every value: orders contain text from strangers. */
export type Html = ReturnType<typeof html>;

const STAGE_NAMES: Readonly<Record<Stage, string>> = {
  CREATED: 'New',
  CONFIRMED: 'Confirmed',
  PREPARING: 'In preparation',
  READY_FOR_PICKUP: 'Ready',
  DISPATCHED: 'On its way',
  PICKED_UP: 'Picked up',
  DELIVERED: 'Delivered',
  CONCLUDED: 'Concluded',
  CANCELLED: 'Cancelled',
};

/** One order with its details, its stage and its buttons. */
export function orderCard(order: ListedOrder): Html {
  const { orderId, details, progress, history } = order;
  const { displayId, type, customer, items, total, payments, schedule, extraInfo } = details;
  const price = total?.orderAmount;
  return html`<article id="order-${orderId}" data-stage="${progress.stage}" tabindex="-1" aria-label="Order ${displayId ?? orderId}">
    <header>
      <h2>${displayId ?? orderId}</h2>
      <strong class="stage">${STAGE_NAMES[progress.stage]}</strong>
    </header>
    <p>${joined(' · ', customer?.name, customer?.phone?.number, type)}</p>
    <p>${addressOf(details)}</p>
    ${schedule && html`<p>Scheduled for ${time(schedule.scheduledDateTimeStart)}</p>`}
    <ul>
      ${items.map(itemLine)}
    </ul>
    ${extraInfo && html`<p><mark>${extraInfo}</mark></p>`}
    <p><b>${price && `${price.value.toFixed(2)} ${price.currency}`}</b>${toCollect(payments?.pending)}</p>
    ${isFinished(progress.stage) ? '' : actions(order)}
    <ol class="history">
      ${history.map(({ eventType, createdAt }) => html`<li>${eventType} ${time(createdAt)}</li>`)}
    </ol>
  </article>`;
}

const joined = (separator: string, ...parts: readonly (string | undefined)[]) =>
  parts.filter(Boolean).join(separator);

const toCollect = (pending = 0) => (pending > 0 ? ` (collect ${pending.toFixed(2)})` : '');

function addressOf({ delivery }: Order): string {
  const { formattedAddress, street, number, complement, reference } = delivery?.deliveryAddress ?? {};
  return joined(', ', formattedAddress ?? joined(' ', street, number), complement, reference);
}

function itemLine({ quantity, name, options = [], specialInstructions }: Order['items'][number]): Html {
  return html`<li>
    <b>${quantity ?? '?'} × ${name ?? 'unnamed item'}</b>
    ${options.map((option) => html`<br />+ ${option.quantity ?? ''} ${option.name}`)}
    ${specialInstructions && html`<br /><mark>${specialInstructions}</mark>`}
  </li>`;
}

/** Running and failed commands, and a button for each possible command. */
function actions({ orderId, details, progress, expected, sending, problem, history }: ListedOrder): Html {
  const isWaiting = !sending && !isSame(progress, expected);
  const commands = sending ? [] : possibleCommands(expected, details);
  return html`
    ${progress.cancellationBy === 'hub' && html`<p class="trouble">Cancellation requested: ${reasonOf(history)}</p>`}
    ${progress.cancellationBy === 'store' && html`<p class="waiting">You have requested a cancellation.</p>`}
    ${problem && html`<p class="trouble">${problem}</p>`}
    ${sending && html`<p class="waiting">Sending “${COMMANDS[sending].label}” to the hub…</p>`}
    ${isWaiting && html`<p class="waiting">The hub has accepted the command. Waiting for its event…</p>`}
    <div class="actions">
      <form id="commands-${orderId}" method="post" action="/commands">
        <input type="hidden" name="orderId" value="${orderId}" />
        ${commands.map((command) => command !== 'requestCancellation' && button(orderId, command))}
      </form>
      ${commands.includes('requestCancellation') && cancellation(orderId)}
    </div>`;
}

// Ids, because the page's script keeps an element while its id exists.
const button = (orderId: string, command: CommandName) =>
  html`<button id="${command}-${orderId}" name="command" value="${command}">${COMMANDS[command].label}</button>`;

/** A separate form: Enter in its text field must not press the first button of the other form. */
const cancellation = (orderId: string) => html`<details id="cancel-${orderId}">
  <summary>Cancel…</summary>
  <form method="post" action="/commands">
    <input type="hidden" name="orderId" value="${orderId}" />
    <label>Reason
      <select name="reason">
        ${Object.entries(CANCELLATION_REASONS).map(([code, text]) => html`<option value="${code}">${text}</option>`)}
      </select>
    </label>
    <label>Comment (optional)
      <input name="comment" maxlength="200" autocomplete="off" />
    </label>
    ${button(orderId, 'requestCancellation')}
  </form>
</details>`;

function reasonOf(history: readonly OrderEvent[]): string {
  const request = history.findLast(({ eventType }) => eventType === 'ORDER_CANCELLATION_REQUEST');
  const reason = request?.metadata?.reason;
  return typeof reason === 'string' ? reason : 'no reason given';
}
