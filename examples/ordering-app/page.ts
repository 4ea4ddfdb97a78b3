import { html } from 'hono/html';
import type { OrderStage, PollerHealth } from 'opendelivery-client';
import { time } from './formats.js';
import type { ListedOrder } from './order-book.js';
import { orderCard } from './order-card.js';
import { type Html, pathOf } from './order-parts.js';
import type { Failure } from './receiver.js';

/** The page without its changing part. */
export function page(live: Html): Html {
  return html`<!doctype html>
    <html lang="pt-BR">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Pedidos</title>
        <link rel="icon" href="/icon.svg" />
        <link rel="stylesheet" href="/page.css" />
        <script type="module" src="/page.js"></script>
      </head>
      <body>
        <header class="top">
          <h1>Pedidos</h1>
          <label class="sound"><input id="sound" type="checkbox" checked /> Avisar com som</label>
        </header>
        <p id="muted" class="waiting" hidden>O navegador só toca o som depois do primeiro clique nesta página.</p>
        <p id="offline" class="trouble" role="alert" hidden>O aplicativo não responde. Este é o último estado conhecido.</p>
        <p id="notice" class="trouble" role="status" hidden></p>
        <p id="announcement" class="visually-hidden" role="status"></p>
        <main id="live">${live}</main>
      </body>
    </html>`;
}

export interface LiveParts {
  readonly orders: readonly ListedOrder[];
  readonly health: PollerHealth;
  readonly failures: readonly Failure[];
  /** Epoch ms on the hub's clock. */
  readonly now: number;
}

/** The columns of a kitchen: each has the orders of these stages. */
const GROUPS: ReadonlyArray<{
  readonly id: string;
  readonly name: string;
  readonly stages: readonly OrderStage[];
}> = [
  { id: 'new', name: 'Novos', stages: ['CREATED'] },
  { id: 'kitchen', name: 'Na cozinha', stages: ['CONFIRMED', 'PREPARING'] },
  { id: 'ready', name: 'Prontos', stages: ['READY_FOR_PICKUP'] },
  { id: 'gone', name: 'Saíram', stages: ['DISPATCHED', 'PICKED_UP', 'DELIVERED'] },
  { id: 'finished', name: 'Encerrados', stages: ['CONCLUDED', 'CANCELLED'] },
];

/** The changing part of the page. Its elements have ids, so that the script updates only what has changed. */
export function liveView({ orders, health, failures, now }: LiveParts): Html {
  return html`${hubLine(health)}${failures.map(failureLine)}${GROUPS.map(({ id, name, stages }) => {
    const own = orders.filter(({ progress }) => stages.includes(progress.stage));
    // Headings beside their orders, not around them: an order that moves on stays the same element.
    const look = own.length === 0 ? 'none' : 'some';
    return (
      orders.length > 0 &&
      html`<h2 id="group-${id}" class="${look}">${name} (${own.length})</h2>${own.map((order) => orderCard(order, now))}`
    );
  })}${orders.length === 0 && html`<p id="empty">Nenhum pedido ainda.</p>`}`;
}

function hubLine({ lastPolledAt, nextPollAt, consecutiveFailures, lastError }: PollerHealth): Html {
  if (consecutiveFailures > 0) {
    return html`<p id="hub" class="trouble">
      Sem receber pedidos: ${lastError instanceof Error && lastError.message}. Próxima consulta às ${time(nextPollAt)}.
    </p>`;
  }
  if (lastPolledAt === undefined) return html`<p id="hub">Conectando ao hub…</p>`;
  return html`<p id="hub">Última consulta às ${time(lastPolledAt)}.</p>`;
}

function failureLine({ event, message }: Failure): Html {
  return html`<p id="failure-${event.eventId}" class="trouble">
    ${event.eventType} do pedido ${event.orderId} não pôde ser salvo: ${message}. O aplicativo vai tentar de novo.
    <a href="${pathOf(event.orderId)}/history" target="_blank">Histórico</a>
  </p>`;
}
