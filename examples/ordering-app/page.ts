import { html } from 'hono/html';
import type { PollerHealth } from 'opendelivery-client';
import type { ListedOrder } from './order-book.js';
import { type Html, orderCard } from './order-card.js';
import type { Failure } from './receiver.js';
import { time } from './time.js';

/** The page without its changing part. */
export function page(live: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Orders</title>
        <link rel="icon" href="/icon.svg" />
        <link rel="stylesheet" href="/page.css" />
        <script type="module" src="/page.js"></script>
      </head>
      <body>
        <h1>Orders</h1>
        <p id="offline" class="trouble" role="alert" hidden>The application does not respond. This is the last known state.</p>
        <p id="notice" class="trouble" role="status" hidden></p>
        <main id="live">${live}</main>
      </body>
    </html>`;
}

export interface LiveParts {
  readonly orders: readonly ListedOrder[];
  readonly health: PollerHealth;
  readonly failures: readonly Failure[];
}

/** The changing part of the page. Its elements have ids, so that the script updates only what has changed. */
export function liveView({ orders, health, failures }: LiveParts): Html {
  return html`${hubLine(health)}${failures.map(failureLine)}${orders.map(orderCard)}${
    orders.length === 0 && html`<p id="empty">No orders yet.</p>`
  }`;
}

function hubLine({ lastPolledAt, nextPollAt, consecutiveFailures, lastError }: PollerHealth): Html {
  if (consecutiveFailures > 0) {
    return html`<p id="hub" class="trouble">
      Cannot receive orders: ${lastError instanceof Error && lastError.message}. Next poll at ${time(nextPollAt)}.
    </p>`;
  }
  if (lastPolledAt === undefined) return html`<p id="hub">Connecting to the hub…</p>`;
  return html`<p id="hub">Last poll at ${time(lastPolledAt)}.</p>`;
}

function failureLine({ event, message }: Failure): Html {
  return html`<p id="failure-${event.eventId}" class="trouble">
    ${event.eventType} of order ${event.orderId} could not be saved: ${message}. The hub will send it again.
  </p>`;
}
