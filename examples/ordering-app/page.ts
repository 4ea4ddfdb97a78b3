import { html } from 'hono/html';
import type { PollerHealth } from 'opendelivery-client';
import type { ListedOrder } from './order-book.js';
import { type Html, orderCard } from './order-card.js';
import type { Failure } from './receive.js';
import { time } from './time.js';

/** The page around what changes. */
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
        <p id="offline" class="trouble" role="alert" hidden>The application does not answer: this is how it was.</p>
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

/** What changes: elements with ids, of which the page's script exchanges only those that did. */
export function liveView({ orders, health, failures }: LiveParts): Html {
  return html`${hubLine(health)}${failures.map(failureLine)}${orders.map(orderCard)}${
    orders.length === 0 && html`<p id="empty">No orders yet.</p>`
  }`;
}

function hubLine({ lastPolledAt, nextPollAt, consecutiveFailures, lastError }: PollerHealth): Html {
  if (consecutiveFailures > 0) {
    return html`<p id="hub" class="trouble">
      No orders from the hub: ${lastError instanceof Error && lastError.message}. Next try at ${time(nextPollAt)}.
    </p>`;
  }
  if (lastPolledAt === undefined) return html`<p id="hub">Asking the hub…</p>`;
  return html`<p id="hub">The hub was asked at ${time(lastPolledAt)}.</p>`;
}

function failureLine({ event, message }: Failure): Html {
  return html`<p id="failure-${event.eventId}" class="trouble">
    ${event.eventType} of order ${event.orderId} could not be taken in: ${message}. The hub sends it again.
  </p>`;
}
