import { html } from 'hono/html';
import { dayAndTime } from './formats.js';
import type { SavedOrder } from './order-book.js';
import {
  addressLine,
  customerLine,
  type Html,
  itemLines,
  kindOf,
  payments,
  scheduleLine,
  sums,
  takeoutLine,
} from './order-parts.js';

/** The order for the kitchen and the courier, on the paper of a receipt printer (80 mm). */
export function ticket({ orderId, details }: SavedOrder): Html {
  const { displayId = orderId, merchant, createdAt, extraInfo, customer, delivery } = details;
  return html`<!doctype html>
    <html lang="pt-BR">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Pedido ${displayId}</title>
        <link rel="icon" href="/icon.svg" />
        <link rel="stylesheet" href="/ticket.css" />
        <script type="module" src="/ticket.js"></script>
      </head>
      <body>
        <button id="print" type="button">Imprimir</button>
        <main>
          <p>${merchant?.name}</p>
          <h1>Pedido ${displayId}</h1>
          <p><b>${kindOf(details)}</b></p>
          <p>${dayAndTime(createdAt)}</p>
          ${scheduleLine(details)}
          ${takeoutLine(details)}
          <hr />
          ${itemLines(details)} ${extraInfo && html`<p><mark>${extraInfo}</mark></p>`}
          <hr />
          ${sums(details)} ${payments(details)}
          <hr />
          ${customerLine(details)} ${addressLine(details)}
          ${delivery?.pickupCode && html`<p>Código de coleta: <b>${delivery.pickupCode}</b></p>`}
          ${customer?.documentNumber && html`<p>CPF/CNPJ na nota: ${customer.documentNumber}</p>`}
        </main>
      </body>
    </html>`;
}
