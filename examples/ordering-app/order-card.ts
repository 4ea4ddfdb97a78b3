import { html } from 'hono/html';
import type { Order, OrderEvent } from 'opendelivery-client';
import { CANCELLATION_REASONS } from './commands.js';
import { COMMANDS, type CommandName, commandsFor, isFinished, isSame, type Stage } from './lifecycle.js';
import type { ListedOrder } from './order-book.js';
import { time } from './time.js';

/** HTML: `html` escapes everything that is put into it, because orders are written by strangers. */
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

/** One order: what it is, where it stands, what can be done with it. */
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

const toCollect = (pending = 0) => (pending > 0 ? ` (${pending.toFixed(2)} to be collected)` : '');

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

/** What is under way or went wrong, and a button for each command that is possible. */
function actions({ orderId, details, progress, expected, sending, problem, history }: ListedOrder): Html {
  const isAwaited = !sending && !isSame(progress, expected);
  const commands = sending ? [] : commandsFor(expected, details);
  return html`
    ${progress.asked === 'hub' && html`<p class="trouble">Asked to cancel: ${reasonOf(history)}</p>`}
    ${progress.asked === 'store' && html`<p class="waiting">We have asked to cancel it.</p>`}
    ${problem && html`<p class="trouble">${problem}</p>`}
    ${sending && html`<p class="waiting">“${COMMANDS[sending].label}” is on its way to the hub…</p>`}
    ${isAwaited && html`<p class="waiting">The hub has taken it; its event is awaited.</p>`}
    <div class="actions">
      <form id="commands-${orderId}" method="post" action="/commands">
        <input type="hidden" name="orderId" value="${orderId}" />
        ${commands.map((command) => command !== 'requestCancellation' && button(orderId, command))}
      </form>
      ${commands.includes('requestCancellation') && cancellation(orderId)}
    </div>`;
}

// Ids, because the page's script keeps an element for as long as its id is there.
const button = (orderId: string, command: CommandName) =>
  html`<button id="${command}-${orderId}" name="command" value="${command}">${COMMANDS[command].label}</button>`;

/** A form of its own: Enter in its field must not press the first button of the others. */
const cancellation = (orderId: string) => html`<details id="cancel-${orderId}">
  <summary>Cancel…</summary>
  <form method="post" action="/commands">
    <input type="hidden" name="orderId" value="${orderId}" />
    <label>Reason
      <select name="reason">
        ${Object.entries(CANCELLATION_REASONS).map(([code, text]) => html`<option value="${code}">${text}</option>`)}
      </select>
    </label>
    <label>In your words (optional)
      <input name="words" maxlength="200" autocomplete="off" />
    </label>
    ${button(orderId, 'requestCancellation')}
  </form>
</details>`;

function reasonOf(history: readonly OrderEvent[]): string {
  const request = history.findLast(({ eventType }) => eventType === 'ORDER_CANCELLATION_REQUEST');
  const reason = request?.metadata?.reason;
  return typeof reason === 'string' ? reason : 'no reason given';
}
